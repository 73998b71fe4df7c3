import { OperatorError } from './operator-error';

/**
 * Reads the body of a response, decompressed, up to `maxBytes`. @throws OperatorError if it is longer, or what the
 * connection throws
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > maxBytes) throw new OperatorError(`answers more than ${maxBytes / 1024} kB`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}
