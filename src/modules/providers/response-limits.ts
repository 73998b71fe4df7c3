import { ProviderError } from './provider.error';

const MIB = 1024 * 1024;

/** How many bytes of one response are read; the connection of a longer one is closed. */
export interface ResponseLimits {
  /** Of the text, and of a body that is not streamed. */
  textBytes: number;
  /** Of a body that is streamed. */
  streamBytes: number;
}

// A token has four bytes on average and may be a long run of spaces.
const TEXT_BYTES_PER_TOKEN = 64;
const MIN_TEXT_BYTES = MIB;
// Each token comes in a separate event of some 300 bytes of JSON. So does reasoning that is not part of the answer, at
// some vendors beyond the limit of tokens.
const STREAM_BYTES_PER_TOKEN = 1024;
const MIN_STREAM_BYTES = 8 * MIB;

export const MAX_ERROR_BODY_BYTES = 64 * 1024;

export function responseLimits(maxTokens: number): ResponseLimits {
  return {
    textBytes: Math.max(MIN_TEXT_BYTES, maxTokens * TEXT_BYTES_PER_TOKEN),
    streamBytes: Math.max(MIN_STREAM_BYTES, maxTokens * STREAM_BYTES_PER_TOKEN),
  };
}

/** Failure for a response with more bytes than the tokens that were asked for can have. */
export function responseTooLong(): ProviderError {
  return new ProviderError('invalid_answer', {
    afterFirstByte: true,
    message: 'The vendor sent far more than was asked for; its answer was broken off.',
  });
}
