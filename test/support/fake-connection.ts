import type { PoolClient } from 'pg';

/** A connection without a server, what it was released with, and how it answers statements. */
export function fakeConnection(answer: () => Promise<unknown> = async () => undefined) {
  const released: unknown[] = [];
  const statements: string[] = [];
  const client = {
    release: (error?: unknown) => void released.push(error),
    query: (text: string) => {
      statements.push(text);
      return answer();
    },
  } as unknown as PoolClient;
  return { client, released, statements };
}

/** An error with that code, as Postgres and Node's sockets have one. */
export const withCode = (code: string): Error => Object.assign(new Error(code), { code });
