import { connect } from 'node:net';
import { createCaller } from '../../support/factories';
import { requestText } from '../../support/raw';
import { worker } from '../../support/worker';

/** Sends these bytes and closes the sending half at once; gives everything that comes until the service closes too. */
async function sendAndShutDown(bytes: string): Promise<string> {
  const { hostname, port } = new URL(worker().serviceUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(text));
    socket.end(bytes);
  });
}

describe('A client that closes its sending half after the request', () => {
  const post = (key: string | undefined, headers: Record<string, string> = {}) =>
    requestText(
      'POST',
      '/api/v1/compare',
      { Authorization: `Bearer ${key ?? ''}`, 'Content-Type': 'application/json', ...headers },
      JSON.stringify({ prompt: 'half [[sim:slow=200]]', models: ['sim-swift'] }),
    ).replace('Connection: close\r\n', '');

  it('receives its eval as JSON, and then the end of the connection', async () => {
    const { key } = await createCaller();
    expect(await sendAndShutDown(post(key))).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"eval_id":"eval_[^]*\}$/);
  });

  it('receives its eval as a stream, up to the last event', async () => {
    const { key } = await createCaller();
    expect(await sendAndShutDown(post(key, { Accept: 'text/event-stream' }))).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*event: eval-started\n[^]*event: eval\ndata: [^]*0\r\n\r\n$/,
    );
  });

  it.each(['application/json', 'text/event-stream'])(
    'receives the responses to all the requests that it had sent before, the first as %s',
    async (accept) => {
      const { key } = await createCaller();
      const read = requestText('GET', '/api/v1/usage', { Authorization: `Bearer ${key ?? ''}` }).replace(
        'Connection: close\r\n',
        '',
      );
      expect(
        (await sendAndShutDown(post(key, { Accept: accept }) + read + read)).match(/HTTP\/1\.1 200 OK/g),
      ).toHaveLength(3);
    },
  );

  it('receives an error where the announced body was incomplete', async () => {
    const { key } = await createCaller();
    expect(await sendAndShutDown(post(key).slice(0, -5))).toMatch(/^HTTP\/1\.1 400 /);
  });
});
