import { redact } from '../observability/redaction';

/**
 * Advice for the operator, by the codes of Node's socket and TLS errors and by the messages of the server and of
 * `ioredis`.
 */
const SENTENCES: readonly (readonly [words: RegExp, sentence: string])[] = [
  [/ECONNREFUSED/, 'nothing listens at its host and port; is Redis running there?'],
  [/ENOTFOUND|EAI_AGAIN/, 'its host is not known.'],
  [/WRONGPASS|NOAUTH|invalid password|without any password/i, 'the server does not accept this user and password.'],
  [
    /RESP type|Protocol error|isn't writeable|EPIPE/,
    'what listens there does not answer as Redis does; does REDIS_URL lead to a Redis?',
  ],
  [/NOPERM/, 'this user may not ask the server for its state (INFO).'],
  [/CERT_HAS_EXPIRED/, "the server's certificate, or that of its CA, has run out."],
  [
    /CERT_NOT_YET_VALID/,
    "the server's certificate, or that of its CA, is not valid yet; is the clock of this machine right?",
  ],
  [/timed? ?out|ETIMEDOUT|Connection is closed|ECONNRESET/i, 'the server does not answer, or broke the connection.'],
  [
    /certificate|ERR_TLS|SSL|EPROTO/i,
    'no TLS connection came about; does the server speak it, and does a known CA vouch for it?',
  ],
];

/**
 * One sentence for an error of the Redis of REDIS_URL, without any of its values; the error's own words where there is
 * none.
 */
export function explainRedisError(error: unknown): string {
  const words =
    error instanceof Error ? `${(error as NodeJS.ErrnoException).code ?? ''} ${error.message}`.trim() : String(error);
  return SENTENCES.find(([pattern]) => pattern.test(words))?.[1] ?? redact(words);
}
