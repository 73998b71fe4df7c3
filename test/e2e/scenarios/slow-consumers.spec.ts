import type { Socket } from 'node:net';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { streamedEval } from '../../support/ledger';
import { startService, type ServiceProcess } from '../../support/service';
import { LONG_COMPARE, longAnswers, muteReader } from '../../support/stalled-readers';
import { worker } from '../../support/worker';

const CLIENTS = 50;
const MODELS = ['sim-swift', 'sim-quill', 'sim-sage', 'sim-titan'];
/**
 * After 25 to 50 s in silence (EVAL_TIMEOUT_MS and six waits for the database, once or twice), a reader is given up.
 * Without runs, only seldom tasks ask the database, so that its idle connections are closed.
 */
const IMPATIENT = { EVAL_TIMEOUT_MS: '10000', DATABASE_TIMEOUT_MS: '2000', MAX_CONCURRENT_RUNS: '0' };
const PATIENT = { DATABASE_TIMEOUT_MS: '60000', MAX_CONCURRENT_COMPARES_PER_KEY: '100' };

describe('SSE clients that do not read', () => {
  let service: ServiceProcess;
  let caller: Caller;
  const sockets: Socket[] = [];
  async function start(settings: Record<string, string>): Promise<void> {
    service = await startService({ DATABASE_URL: worker().databaseUrl, ...longAnswers(), ...settings });
    caller = await createCaller({ at: service.url, freeQuota: 0 });
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await service.stop();
  });

  function mute(prompt: string, models: string[]) {
    const client = muteReader(caller, { prompt, models });
    sockets.push(client.socket);
    return client;
  }
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\S+)`, 'm').exec((await caller.get('/metrics')).text)?.[1]);
  const openSockets = () => metric('nodejs_active_resources\\{type="TCPSocketWrap"\\}');

  it('do not keep 50 runs from being stored and charged, and receive everything when they read at last', async () => {
    await start(PATIENT);
    const clients = Array.from({ length: CLIENTS }, (_, index) => mute(`mute ${index}`, MODELS));
    await eventually('all are stored', async () => (await caller.usage()).eval_count === CLIENTS);
    await eventually('none runs', async () => (await metric('mcs_compares_running')) === 0);
    const prompts: string[] = [];
    for (const { socket, ended } of clients) {
      socket.resume();
      const { text } = await ended;
      prompts.push((JSON.parse(streamedEval(text)) as { prompt: string }).prompt);
    }
    expect(prompts).toEqual(clients.map((_, index) => `mute ${index}`));
  });

  it('cannot hold a long run: it is stored, and the connection closed after a timeout', async () => {
    await start(IMPATIENT);
    const clients = Array.from({ length: 5 }, (_, index) =>
      mute(`${LONG_COMPARE.prompt} ${index}`, LONG_COMPARE.models),
    );
    await eventually('all are stored', async () => (await caller.usage()).eval_count === clients.length);
    // Only the asking connection remains, and one or two to the database, for the tasks that look at it now and then.
    // The ends below show that each reader was cut off.
    await eventually('their connections are closed', async () => (await openSockets()) <= 3, 120_000);
    for (const { socket } of clients) socket.resume();
    // Cut off in the middle, not complete.
    const ends = await Promise.all(clients.map(({ ended }) => ended));
    expect(ends.map(({ text }) => text.includes('event: eval\n'))).toEqual(clients.map(() => false));
  }, 240_000);
});
