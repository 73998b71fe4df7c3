import type { FastifyRequest } from 'fastify';

/** Allows the connection of a request `times` the usual silence while its answer is computed; a slow reader then has the usual limit. */
export async function withLongSilence<T>({ raw: { socket }, server: { server: { timeout } } }: FastifyRequest, times: number, work: () => Promise<T>): Promise<T> {
  if (times === 1) return work();
  socket.setTimeout(times * timeout);
  try {
    return await work();
  } finally {
    socket.setTimeout(timeout);
  }
}
