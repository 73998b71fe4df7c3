import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { errorFromEvent, invalidResponse } from './map-provider-error';
import type { Completion, OnText } from './provider';
import { responseTooLong, type ResponseLimits } from './response-limits';
import { headerOf, type VendorResponse } from './transport/vendor-response';

/** Collects one answer by a vendor's protocol. */
export interface ResponseAccumulator<Event> {
  /** Adds an event and returns its text. @throws ProviderError when the event reports a failure */
  add(event: Event): string;
  /** The answer after the last event. @throws ProviderError when it is incomplete */
  complete(): Completion;
  /** The answer of a server that did not stream. @throws ProviderError */
  fromBody(body: unknown): Completion;
}

/**
 * Reads a successful response, streamed or not. Anything but the protocol, and more than the limits allow, is an
 * invalid answer, whatever its status says. @throws ProviderError, SyntaxError for what is not JSON, and what
 * `VendorResponse.read` throws
 */
export async function readResponse<Event>(
  response: VendorResponse,
  accumulator: ResponseAccumulator<Event>,
  limits: ResponseLimits,
  onText: OnText,
): Promise<Completion> {
  const type = (headerOf(response.headers, 'content-type') ?? '').toLowerCase();
  try {
    if (type.includes('text/event-stream')) return await readStream(response, accumulator, limits, onText);
    if (!type.includes('json')) throw invalidResponse();
    const completion = accumulator.fromBody(JSON.parse(await response.readText(limits.textBytes)));
    if (completion.text !== '') onText(completion.text);
    return completion;
  } catch (error) {
    response.cancel();
    throw error;
  }
}

async function readStream<Event>(
  response: VendorResponse,
  accumulator: ResponseAccumulator<Event>,
  limits: ResponseLimits,
  onText: OnText,
): Promise<Completion> {
  const utf8 = new StringDecoder('utf8');
  let [streamBytes, textBytes, isDone] = [0, 0, false];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (isDone) return;
      if (data === '[DONE]') {
        isDone = true;
        return;
      }
      if (event === 'error') throw errorFromEvent(jsonOr(data, data));
      const text = accumulator.add(JSON.parse(data) as Event);
      textBytes += Buffer.byteLength(text);
      if (textBytes > limits.textBytes) throw responseTooLong();
      if (text !== '') onText(text);
    },
  });
  await response.read((chunk) => {
    streamBytes += chunk.length;
    // Bounds what the parser keeps of an event without end, too.
    if (streamBytes > limits.streamBytes) throw responseTooLong();
    parser.feed(utf8.write(chunk));
    return isDone;
  });
  return accumulator.complete();
}

/** The value of a JSON text; that default for any other text. */
export function jsonOr(otherwise: unknown, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
