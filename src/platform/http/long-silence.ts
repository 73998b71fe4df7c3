import type { FastifyRequest } from 'fastify';

/**
 * Allows the connection of a request `times` the usual silence until it is disposed of; a slow reader then has the
 * usual limit. Undefined if one time is enough.
 */
export function allowLongSilence(
  {
    raw: { socket },
    server: {
      server: { timeout },
    },
  }: FastifyRequest,
  times: number,
): Disposable | undefined {
  if (times === 1) return undefined;
  socket.setTimeout(times * timeout);
  return { [Symbol.dispose]: () => void socket.setTimeout(timeout) };
}
