import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { headerOf, type VendorResponse } from './vendor-response';

/** Where the bytes of a response's body go as they come from the connection. */
export interface BodySink {
  push(chunk: Buffer): void;
  finish(): void;
  /** Nothing more of the body is wanted: what is left of it is not even decompressed. */
  drop(): void;
}

// Without it an event would wait in the decompressor for the next one.
const FLUSH_AT_ONCE = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
// As much memory as RFC 9659 lets a sender demand; zstd itself would grant sixteen times that.
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const DECOMPRESSORS = {
  gzip: () => createGunzip(FLUSH_AT_ONCE),
  'x-gzip': () => createGunzip(FLUSH_AT_ONCE),
  deflate: () => createInflate(FLUSH_AT_ONCE),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(ZSTD),
};

/** A sink that hands the body to the response, decompressed as its Content-Encoding says. */
export function decodedBody(response: VendorResponse): BodySink {
  const encoding = headerOf(response.headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (!Object.hasOwn(DECOMPRESSORS, encoding))
    return { push: (chunk) => response.push(chunk), finish: () => response.finish(), drop: () => undefined };
  const plain = DECOMPRESSORS[encoding as keyof typeof DECOMPRESSORS]();
  plain.on('data', (chunk: Buffer) => response.push(chunk));
  plain.on('end', () => response.finish());
  plain.on('error', (error) => response.fail(error));
  return { push: (chunk) => void plain.write(chunk), finish: () => void plain.end(), drop: () => void plain.destroy() };
}
