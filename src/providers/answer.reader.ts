import { EventDecoder } from './event.decoder';
import { answerTooLong, MAX_REFUSAL_BYTES, type AnswerLimits } from './answer-limits';
import { failureInAnswer, failureOf, invalidAnswer } from './http.translate';
import type { Completion, OnText } from './provider';
import type { ProviderError } from './provider.error';
import type { VendorResponse } from './vendor.response';
import { vendorWords } from './vendor-words.translate';

/** What a vendor's protocol has to say about reading one answer. */
export interface AnswerProtocol<Event> {
  /** Takes in an event and gives its text back. @throws ProviderError when the event tells a failure */
  add(event: Event): string;
  /** The whole answer after the last event. @throws ProviderError when it is not whole */
  complete(): Completion;
  /** The answer of a server that sent it in one piece. @throws ProviderError */
  whole(body: unknown): Completion;
}

/** Reads a successful response, streamed or not; anything but the protocol, and more than the limits allow, is an invalid answer, whatever its status says. */
export async function readAnswer<Event>(response: VendorResponse, protocol: AnswerProtocol<Event>, limits: AnswerLimits, onText: OnText): Promise<Completion> {
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  try {
    if (type.includes('text/event-stream')) return await readStream(response, protocol, limits, onText);
    if (!type.includes('json')) throw invalidAnswer();
    const completion = protocol.whole(await response.json(limits.textBytes));
    if (completion.text !== '') onText(completion.text);
    return completion;
  } catch (error) {
    response.cancel();
    throw error;
  }
}

async function readStream<Event>(response: VendorResponse, protocol: AnswerProtocol<Event>, limits: AnswerLimits, onText: OnText): Promise<Completion> {
  const decoder = new EventDecoder();
  let [streamBytes, textBytes] = [0, 0];
  await response.read((chunk) => {
    streamBytes += chunk.length;
    if (streamBytes > limits.streamBytes) throw answerTooLong();
    for (const { name, data } of decoder.decode(chunk)) {
      if (data === '[DONE]') return true;
      if (name === 'error') throw failureInAnswer(jsonOrText(data));
      const text = protocol.add(JSON.parse(data) as Event);
      textBytes += Buffer.byteLength(text);
      if (textBytes > limits.textBytes) throw answerTooLong();
      if (text !== '') onText(text);
    }
    return false;
  });
  return protocol.complete();
}

/** The failure that a response with an error status tells. That its body breaks off, or never ends, takes nothing from it. */
export async function refusalOf(response: VendorResponse): Promise<ProviderError> {
  const body = jsonOrText(await textOf(response));
  const words = vendorWords(typeof body === 'object' ? body : undefined);
  return failureOf({ ...words, status: response.status, headers: response.headers, cause: undefined });
}

async function textOf(response: VendorResponse): Promise<string> {
  try {
    return await response.text(MAX_REFUSAL_BYTES);
  } catch {
    response.cancel();
    return '';
  }
}

function jsonOrText(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
