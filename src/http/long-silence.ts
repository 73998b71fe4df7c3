import type { FastifyRequest } from 'fastify';

/** Lets the connection of a request be silent for `times` as long as others may be, while its answer is made; whoever then reads too slowly has no longer than others. */
export async function withLongSilence<T>({ raw: { socket }, server: { server: { timeout } } }: FastifyRequest, times: number, work: () => Promise<T>): Promise<T> {
  if (times === 1) return work();
  socket.setTimeout(times * timeout);
  try {
    return await work();
  } finally {
    socket.setTimeout(timeout);
  }
}
