import type { PoolClient } from 'pg';

/** Takes a connection of the pool. The layers of the pool wrap it. @throws what the driver throws, or NO_CONNECTION */
export type Connect = () => Promise<PoolClient>;

/** The connection, unless it is refused first; a connection after the refusal is released. */
export async function unlessRefused(connecting: Promise<PoolClient>, refused: Promise<never>): Promise<PoolClient> {
  try {
    return await Promise.race([connecting, refused]);
  } catch (error) {
    connecting.then(
      (client) => client.release(),
      () => undefined,
    );
    throw error;
  }
}
