import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createCaller, type Caller } from '../../support/factories';
import { rawRequest, requestBytes, type RawAnswer } from '../../support/raw';
import { worker } from '../../support/worker';

const BODY = JSON.stringify({ prompt: 'Where is the caf\u00e9? [[sim:length=2]]', models: ['sim-swift'] });

describe('The body of a request', () => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await createCaller();
  });
  const send = async (body: Buffer | string, headers: Record<string, string> = {}) => {
    const bytes = requestBytes(
      'POST',
      '/api/v1/compare',
      { Authorization: `Bearer ${caller.key ?? ''}`, 'Content-Type': 'application/json', ...headers },
      Buffer.from(body),
    );
    return (await rawRequest(worker().serviceUrl, bytes)) as RawAnswer;
  };
  const around = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"prompt":"x'), Buffer.from(bytes), Buffer.from('","models":["sim-swift"]}')]);

  it.each([
    ['a letter of Latin-1', Buffer.from(BODY, 'latin1')],
    ['the first half of a letter', around(0xc3)],
    ['the second half of a letter alone', around(0xa9)],
    ['a slash written in two bytes', around(0xc0, 0xaf)],
    ['half a surrogate pair', around(0xed, 0xa0, 0x80)],
    ['a code point above the last', around(0xf4, 0x90, 0x80, 0x80)],
    ['a byte that never occurs', around(0xff)],
    ['a letter that is cut at the end', Buffer.from([...Buffer.from('{}'), 0xe2, 0x82])],
    ['UTF-16', Buffer.from(`\uFEFF${BODY}`, 'utf16le')],
  ])('is rejected where its bytes are not UTF-8: %s', async (_, body) => {
    const answer = await send(body);
    expect([answer.status, JSON.parse(answer.body).error]).toEqual([
      400,
      {
        code: 'invalid_json',
        message: 'The body is not UTF-8; send JSON text encoded as UTF-8.',
        request_id: answer.headers['x-request-id'],
        details: { docs: '/docs/guide/errors#invalid_json' },
      },
    ]);
  });

  it('is kept letter for letter where it is UTF-8, with or without a byte order mark', async () => {
    for (const body of [BODY, `\uFEFF${BODY}`]) {
      const answer = await send(body);
      expect([answer.status, JSON.parse(answer.body).prompt]).toEqual([200, JSON.parse(BODY).prompt]);
    }
  });

  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'Application/JSON; Charset=UTF-8',
    'application/json; charset=utf8',
    'application/json ; profile="charset=latin1"',
  ])('is accepted as %s', async (type) => {
    expect((await send(BODY, { 'Content-Type': type })).status).toBe(200);
  });

  it.each([
    'application/json; charset=utf-16',
    'application/json;charset="ISO-8859-1"',
    'application/json; Charset=windows-1252',
    'application/json; charset=us-ascii',
    'application/json; charset=""',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-16; charset=utf-8',
  ])('is rejected as %s, with a sentence that names the accepted charset', async (type) => {
    const answer = await send(BODY, { 'Content-Type': type });
    expect([answer.status, JSON.parse(answer.body).error]).toMatchObject([
      415,
      {
        code: 'unsupported_media_type',
        param: 'Content-Type',
        message: 'The body must be UTF-8; send Content-Type: application/json without another charset.',
      },
    ]);
  });

  it.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'aes128gcm', 'nonsense'])(
    'is rejected with Content-Encoding: %s, with a sentence that says what to do',
    async (coding) => {
      const answer = await send(coding.toLowerCase().includes('gzip') ? gzipSync(BODY) : BODY, {
        'Content-Encoding': coding,
      });
      expect([answer.status, JSON.parse(answer.body).error]).toMatchObject([
        415,
        {
          code: 'unsupported_media_type',
          param: 'Content-Encoding',
          message: 'Compressed bodies are not taken; send the JSON as it is, without a Content-Encoding header.',
        },
      ]);
    },
  );

  it.each(['identity', 'Identity', ''])(
    'is accepted with Content-Encoding: "%s", which names no coding',
    async (coding) => {
      expect((await send(BODY, { 'Content-Encoding': coding })).status).toBe(200);
    },
  );
});

describe('A request with Expect: 100-continue', () => {
  /** Sends the head of a compare, and its body only when that is asked for. */
  async function send(
    key: string | undefined,
    path = '/api/v1/compare',
  ): Promise<{ continued: boolean; status: number | undefined }> {
    const sent = request(`${worker().serviceUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', expect: '100-continue' },
    });
    let continued = false;
    sent.on('continue', () => {
      continued = true;
      sent.end(JSON.stringify({ prompt: 'Hello', models: ['sim-swift'] }));
    });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    sent.destroy();
    return { continued, status: answer.statusCode };
  }

  it('is asked for its body after its key was found right, and before that is refused', async () => {
    const { key } = await createCaller();
    expect(await send(key)).toEqual({ continued: true, status: 200 });
    expect(await send('mcs_nonsense')).toEqual({ continued: false, status: 401 });
    expect(await send(key, '/api/v1/nothing')).toEqual({ continued: false, status: 404 });
  });
});
