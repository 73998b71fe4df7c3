import type OpenAI from 'openai';
import { Stream } from 'openai/streaming';
import { readAnswer } from './answer.reader';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import { ChatAnswer, toChatRequest, toProviderError, type VendorChunk } from './openai.translate';
import type { Completion, CompletionRequest, Provider } from './provider';

/** Calls chat completions through the openai SDK: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  constructor(
    readonly vendor: ChatVendorName,
    private readonly client: OpenAI,
  ) {}

  async *stream(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<string, Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    let answered = false;
    try {
      // The raw response, because a 200 may carry something else than the stream that was asked for.
      const response = await this.client.chat.completions.create(toChatRequest(request, vendor), { signal }).asResponse();
      answered = true;
      return yield* readAnswer(response, (streamed) => this.decode(streamed), new ChatAnswer(vendor), signal);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }

  // With the client, whose log is off: without one the SDK prints malformed events, which are somebody's text.
  private decode(response: Response): AsyncIterable<VendorChunk> {
    return Stream.fromSSEResponse<VendorChunk>(response, new AbortController(), this.client);
  }
}
