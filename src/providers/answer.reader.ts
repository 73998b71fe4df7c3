import { invalidAnswer } from './http.translate';
import type { Completion } from './provider';

/** What a vendor's protocol has to say about reading one answer. */
export interface AnswerProtocol<Event> {
  /** Takes in an event and gives its text back. */
  add(event: Event): string;
  /** The whole answer after the last event. @throws ProviderError when it is not whole */
  complete(): Completion;
  /** The answer of a server that sent it in one piece. @throws ProviderError */
  whole(body: unknown): Completion;
}

/** The SDK's decoder of server-sent events. */
export type Decode<Event> = (response: Response) => AsyncIterable<Event>;

/** Reads a successful response, streamed or not; anything but the protocol is an invalid answer, whatever its status says. */
export async function* readAnswer<Event>(
  response: Response,
  decode: Decode<Event>,
  protocol: AnswerProtocol<Event>,
  signal: AbortSignal,
): AsyncGenerator<string, Completion> {
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  if (type.includes('text/event-stream')) {
    for await (const event of decode(response)) {
      const delta = protocol.add(event);
      if (delta !== '') yield delta;
    }
    // Both SDKs end an aborted stream like a finished one.
    signal.throwIfAborted();
    return protocol.complete();
  }
  if (!type.includes('json')) {
    await response.body?.cancel();
    throw invalidAnswer();
  }
  const completion = protocol.whole(await response.json());
  if (completion.text !== '') yield completion.text;
  return completion;
}
