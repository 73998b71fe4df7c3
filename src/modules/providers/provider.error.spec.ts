import { computing } from '../../../test/support/timing';
import { registerSecrets } from '../../platform/observability/redaction';
import { FAILURES, ProviderError, redactVendorText, type FailureCode } from './provider.error';

const CODES = Object.keys(FAILURES) as FailureCode[];
const TELLING: readonly FailureCode[] = ['rejected', 'invalid_request', 'context_too_long', 'content_refused'];
const SILENT = CODES.filter((code) => !TELLING.includes(code));
const REDACTED = '[redacted]';
const ADDRESS = '[address]';
const FILE = '[file]';

describe('ProviderError', () => {
  test.each(CODES)('has, with the code %s, a distinct message and says if a retry may succeed', (code) => {
    const failure = new ProviderError(code);
    expect(failure.message).toBe(FAILURES[code].message);
    expect(failure.message).toMatch(/^[A-Z].*\.$/);
    expect(failure.retryable).toBe(FAILURES[code].retryable);
    expect(failure).toMatchObject({ name: 'ProviderError', code, afterFirstByte: false, retryAfterMs: undefined });
  });

  test('is retryable exactly where the vendor, the network or we may succeed next time', () => {
    expect(CODES.filter((code) => new ProviderError(code).retryable).sort()).toEqual([
      'connection_failed',
      'internal_error',
      'invalid_answer',
      'not_called',
      'overloaded',
      'rate_limited',
      'timeout',
      'unavailable',
    ]);
  });

  test.each(TELLING)('quotes, with the code %s, what the vendor said about the request', (code) => {
    expect(new ProviderError(code, { vendorMessage: 'top_p is too high.' }).message).toBe(
      `${FAILURES[code].message} It says: top_p is too high.`,
    );
  });

  test.each(SILENT)('does not quote, with the code %s, what the vendor said about our account', (code) => {
    expect(new ProviderError(code, { vendorMessage: 'Limit 30000 reached in org-abc123' }).message).toBe(
      FAILURES[code].message,
    );
  });

  test.each(['', '  \n '])('adds nothing when the vendor said %j', (vendorMessage) => {
    expect(new ProviderError('rejected', { vendorMessage }).message).toBe(FAILURES.rejected.message);
  });

  test('keeps its cause for the log', () => {
    const cause = new Error('socket hang up');
    expect(new ProviderError('connection_failed', { cause }).cause).toBe(cause);
  });
});

describe('redactVendorText', () => {
  test.each([
    ['plain words', "Unsupported value: 'temperature' does not support 0.7 with this model."],
    ['numbers and names of parameters', 'max_tokens: 200000 > 64000, which is the maximum for claude-haiku-4-5'],
    ['a long word without digits', 'pneumonoultramicroscopicsilicovolcanoconiosis'],
  ])('keeps %s', (_, words) => {
    expect(redactVendorText(words)).toBe(words);
  });

  test.each([
    ['a web address', 'See https://platform.openai.com/docs/errors?x=1 for help.', `See ${ADDRESS} for help.`],
    ['a database address', 'dial postgres://root:pa55@db/x', `dial ${ADDRESS}`],
    ['an IPv4 address with a port', 'connect ECONNREFUSED 10.0.3.7:8000', `connect ECONNREFUSED ${ADDRESS}`],
    ['a host name', 'api.mistral.ai is down', `${ADDRESS} is down`],
    ['a host of a cluster', 'at vllm.models.svc.cluster.local:8000/v1', `at ${ADDRESS}`],
    ['this machine', 'no answer from localhost:11434.', `no answer from ${ADDRESS}.`],
    [
      'an OpenAI key',
      'Incorrect API key provided: sk-proj-Ab1***********xyZ9',
      `Incorrect API key provided: ${REDACTED}`,
    ],
    ['an Anthropic key', 'bad key sk-ant-api03-AbCdEf_123-xyz', `bad key ${REDACTED}`],
    ['a Groq key', 'key gsk_A1b2C3d4', `key ${REDACTED}`],
    ['an xAI key', 'key xai-A1b2C3d4', `key ${REDACTED}`],
    ['an organization', 'Limit reached for org-9fG7hJ in project', `Limit reached for ${REDACTED} in project`],
    ['a project', 'Project proj_abCD1234 does not have access', `Project ${REDACTED} does not have access`],
    ['a request id', 'Please include req_011CQ2 in your mail', `Please include ${REDACTED} in your mail`],
    ['a bearer token', 'header was Bearer abc.def', `header was ${REDACTED}`],
    ['a long opaque word', 'token AIzaSyA1234567890abcdefghijklmnop is bad', `token ${REDACTED} is bad`],
    ['several at once', 'sk-aaaa1111 at https://a.b/c', `${REDACTED} at ${ADDRESS}`],
  ])('removes %s', (_, words, redacted) => {
    expect(redactVendorText(words)).toBe(redacted);
  });

  // Local servers answer with their own names: no host, port or file name may leave the service.
  test.each([
    ['a bare host with its port', 'upstream vllm-1:8000 refused', `upstream ${ADDRESS} refused`],
    ['an IPv6 address with its port', 'connect ECONNREFUSED [::1]:11434', `connect ECONNREFUSED ${ADDRESS}`],
    ['an IPv6 address', 'at [fe80::1] nobody answers', `at ${ADDRESS} nobody answers`],
    ['an IPv4 address of long numbers', 'at 192.168.100.117 nobody answers', `at ${ADDRESS} nobody answers`],
    ['a path', 'error in /usr/lib/python3/vllm/engine.py line 7', `error in ${FILE} line 7`],
    ['file names', 'at engine.py, model_loader.cc, main.c, a-b.yml, c.yaml', `at ${Array(5).fill(FILE).join(', ')}`],
    ['a bearer token behind several blanks', 'Bearer   abc.def was sent', `${REDACTED} was sent`],
  ])('removes, from a local server, %s', (_, words, redacted) => {
    expect(redactVendorText(words)).toBe(redacted);
  });

  test('keeps a slash between words', () => {
    expect(redactVendorText('a model and/or a prompt is wrong: 1/2')).toBe('a model and/or a prompt is wrong: 1/2');
  });

  test('returns one line of at most 300 characters', () => {
    expect(redactVendorText('  a\n\n b\t c ')).toBe('a b c');
    expect(redactVendorText('word '.repeat(1000)).length).toBeLessThanOrEqual(300);
  });

  test('removes a registered secret also where the read text is cut off, so that no half of it is disclosed', () => {
    registerSecrets({ LOCAL_API_KEY: 'open sesame of the cave' });
    for (const before of [1980, 1990, 1999, 280, 295]) {
      const redacted = redactVendorText(`${' '.repeat(before)}open sesame of the cave${' x'.repeat(2000)}`);
      expect([before, redacted]).toEqual([before, expect.not.stringMatching(/open|sesame/)]);
    }
  });

  test('removes a secret where the result is cut off', () => {
    expect(redactVendorText(`${'a '.repeat(145)}sk-proj-secret12345`)).not.toMatch(/sk-/);
  });

  test.each([['a-'], ['a.'], ['1.']])('does not block the service for 40,000 characters of %j', (piece) => {
    expect(computing(() => redactVendorText(piece.repeat(20_000))).ms).toBeLessThan(1000);
  });
});
