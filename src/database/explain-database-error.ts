import { isDatabaseUnavailable } from './is-database-unavailable';

const CREATE = 'npm run db:migrate -- --create';

const NO_DATABASE = `DATABASE_URL: there is no database of that name; mend the name, or create the database with \`${CREATE}\`.`;

/** What an operator can do about it, by the SQLSTATE or the code of Node's socket and TLS errors, and by the words of the server, of `pg` and of poolers. */
const SENTENCES: readonly (readonly [code: RegExp | undefined, words: RegExp | undefined, sentence: string])[] = [
  [/^3D000$/, undefined, NO_DATABASE],
  [/^08P01$/, /^no such database/, NO_DATABASE],
  [/^28P01$/, undefined, 'DATABASE_URL: the server does not accept this user and password.'],
  [/^28000$/, /no encryption|SSL off/, 'DATABASE_URL: the server wants TLS (or has no rule for this user in pg_hba.conf); try sslmode=require or better.'],
  [/^28000$/, undefined, 'DATABASE_URL: the server does not let this user in: it does not exist, pg_hba.conf has no rule for it, or a client certificate (sslcert) is needed.'],
  [/^42501$/, /permission denied to create database/, 'DATABASE_URL: this user may not create databases; create it as another one.'],
  [/^53300$/, undefined, 'DATABASE_URL: the server has no connection left; raise its max_connections or lower DATABASE_POOL_MAX.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, undefined, 'DATABASE_URL: its host is not known.'],
  [/^ECONNREFUSED$/, undefined, 'DATABASE_URL: nothing listens at its host and port; is Postgres running there?'],
  [/^ENOENT$/, /^connect /, 'DATABASE_URL: there is no socket of a Postgres in that folder.'],
  [/^57P03$/, undefined, 'DATABASE_URL: the server is still starting, or is stopping.'],
  [undefined, /does not support SSL connections/, 'DATABASE_URL: sslmode asks for TLS, which the server does not speak.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, undefined, "DATABASE_URL: the server's certificate is for another host name, which sslmode=verify-full does not accept."],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, undefined, "DATABASE_URL: the server's certificate has run out or is not valid yet."],
  [/^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|CERT_|INVALID_CA|ERR_OSSL_X509)/, undefined, "DATABASE_URL: the server's certificate does not come from a CA of sslrootcert."],
  [/^(ERR_SSL_|EPROTO)/, undefined, 'DATABASE_URL: the server ended the TLS handshake; does it know the CA of sslcert?'],
  [/^08P01$/, /unsupported startup parameter/, 'DATABASE_URL: the pooler refuses statement_timeout or another startup parameter; list it in its ignore_startup_parameters and set it for the role instead.'],
];

/** One sentence for an error of the database that keeps something from starting, with the name of the setting and none of its values; undefined for any other error. */
export function explainDatabaseError(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { message, code } = error as Error & { code?: unknown };
    const fits = (pattern: RegExp | undefined, text: unknown) => pattern !== undefined && typeof text === 'string' && pattern.test(text);
    const found = SENTENCES.find(([codes, words]) => (codes === undefined || fits(codes, code)) && (words === undefined || fits(words, message)));
    if (found !== undefined) return found[2];
  }
  return isDatabaseUnavailable(thrown) ? 'DATABASE_URL: the database does not answer, or broke the connection.' : undefined;
}
