import { SseDecoder } from './sse-decoder';
import { responseTooLong, type ResponseLimits } from './response-limits';
import { errorFromEvent, invalidResponse } from './map-provider-error';
import type { Completion, OnText } from './provider';
import type { StreamingResponse } from './transport/streaming-response';

/** Collects one answer by a vendor's protocol. */
export interface ResponseAccumulator<Event> {
  /** Adds an event and returns its text. @throws ProviderError when the event reports a failure */
  add(event: Event): string;
  /** The answer after the last event. @throws ProviderError when it is incomplete */
  complete(): Completion;
  /** The answer of a server that did not stream. @throws ProviderError */
  fromBody(body: unknown): Completion;
}

/** Reads a successful response, streamed or not. Anything but the protocol, and more than the limits allow, is an invalid answer, whatever its status says. @throws ProviderError, SyntaxError for what is not JSON, and what `StreamingResponse.read` throws */
export async function readResponse<Event>(response: StreamingResponse, protocol: ResponseAccumulator<Event>, limits: ResponseLimits, onText: OnText): Promise<Completion> {
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  try {
    if (type.includes('text/event-stream')) return await readStream(response, protocol, limits, onText);
    if (!type.includes('json')) throw invalidResponse();
    const completion = protocol.fromBody(JSON.parse(await response.readText(limits.textBytes)));
    if (completion.text !== '') onText(completion.text);
    return completion;
  } catch (error) {
    response.cancel();
    throw error;
  }
}

async function readStream<Event>(response: StreamingResponse, protocol: ResponseAccumulator<Event>, limits: ResponseLimits, onText: OnText): Promise<Completion> {
  const decoder = new SseDecoder();
  let [streamBytes, textBytes] = [0, 0];
  await response.read((chunk) => {
    streamBytes += chunk.length;
    if (streamBytes > limits.streamBytes) throw responseTooLong();
    for (const { name, data } of decoder.decode(chunk)) {
      if (data === '[DONE]') return true;
      if (name === 'error') throw errorFromEvent(jsonOrText(data));
      const text = protocol.add(JSON.parse(data) as Event);
      textBytes += Buffer.byteLength(text);
      if (textBytes > limits.textBytes) throw responseTooLong();
      if (text !== '') onText(text);
    }
    return false;
  });
  return protocol.complete();
}

function jsonOrText(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
