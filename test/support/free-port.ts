import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to connections and to listeners without one, so that none takes it before its use,
 * or between two uses.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** A port of this machine that is free now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
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
