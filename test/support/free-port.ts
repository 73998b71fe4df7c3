import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to connections and to listeners without one, so that none takes it before its use,
 * or between two uses.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** More than a run of jest has workers. Each has ports that no other one draws. */
const WORKERS = 8;
const PORTS = (LAST_PORT - FIRST_PORT) / WORKERS;
const first = FIRST_PORT + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * PORTS;
const drawn = new Set<number>();

/** A port of this machine that is free now. It is drawn once only: its program may start later. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, first + PORTS);
    if (drawn.has(port)) continue;
    drawn.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (!isFree) continue;
    await once(server, 'close');
    return port;
  }
}
