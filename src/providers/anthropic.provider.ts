import type Anthropic from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { readAnswer } from './answer.reader';
import { MessageAnswer, toMessageRequest, toProviderError } from './anthropic.translate';
import type { Completion, CompletionRequest, Provider } from './provider';

/** Calls the Messages API through the Anthropic SDK, in the API version that the model wants. */
export class AnthropicProvider implements Provider {
  readonly vendor = 'anthropic';

  constructor(private readonly client: Anthropic) {}

  async *stream(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<string, Completion> {
    let answered = false;
    try {
      const response = await this.client.messages.create(toMessageRequest(request), { signal, headers: this.headersFor(request) }).asResponse();
      answered = true;
      return yield* readAnswer(response, (streamed) => this.decode(streamed), new MessageAnswer(), signal);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }

  // With the client, whose log is off: without one the SDK prints malformed events, which are somebody's text.
  private decode(response: Response): AsyncIterable<RawMessageStreamEvent> {
    return Stream.fromSSEResponse<RawMessageStreamEvent>(response, new AbortController(), this.client);
  }

  // The SDK speaks the newest version; an older one is asked for by its header, and is documented with the key in x-api-key only.
  private headersFor({ dialect: { apiVersion } }: CompletionRequest): Record<string, string | null> {
    if (apiVersion !== '2023-06-01') return apiVersion === undefined ? {} : { 'anthropic-version': apiVersion };
    return { 'anthropic-version': apiVersion, authorization: null, 'x-api-key': this.client.apiKey };
  }
}
