import type { Connect } from './connect';

/**
 * A pooler keeps connections open while it has no server: from its first complaint on, a connection is tried before it
 * is used, until one reaches the server.
 */
export class Doubt {
  /** True from a complaint of the pooler until a connection has reached the server. */
  isRaised = false;

  constructor(private readonly onReached: () => void) {}

  /** Connects, and tries the connection if it is in doubt. */
  tried(connect: Connect): Connect {
    return async () => {
      const client = await connect();
      if (!this.isRaised) return client;
      try {
        await client.query('select 1');
      } catch (refusal) {
        client.release(refusal as Error);
        throw refusal;
      }
      this.isRaised = false;
      this.onReached();
      return client;
    };
  }
}
