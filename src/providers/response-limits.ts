import { ProviderError } from './provider.error';

const MIB = 1024 * 1024;

/** How many bytes of one answer are read; one that is longer is broken off. */
export interface ResponseLimits {
  /** Of the text, and of the body of an answer in one piece. */
  textBytes: number;
  /** Of a body that is streamed. */
  streamBytes: number;
}

// A token has four bytes on average and may be a long run of spaces.
const TEXT_BYTES_PER_TOKEN = 64;
const MIN_TEXT_BYTES = MIB;
// Each token comes in an event of its own, some 300 bytes of JSON; reasoning that is not part of the answer comes so too, at some vendors beyond the limit of tokens.
const STREAM_BYTES_PER_TOKEN = 1024;
const MIN_STREAM_BYTES = 8 * MIB;

/** Of the body of a refusal. */
export const MAX_ERROR_BODY_BYTES = 64 * 1024;

/** What an answer of at most so many tokens may weigh. */
export function responseLimits(maxTokens: number): ResponseLimits {
  return {
    textBytes: Math.max(MIN_TEXT_BYTES, maxTokens * TEXT_BYTES_PER_TOKEN),
    streamBytes: Math.max(MIN_STREAM_BYTES, maxTokens * STREAM_BYTES_PER_TOKEN),
  };
}

/** Failure for an answer with more bytes than the tokens that were asked for can have. */
export function responseTooLong(): ProviderError {
  return new ProviderError('invalid_answer', { afterFirstByte: true, message: 'The vendor sent far more than was asked for; its answer was broken off.' });
}
