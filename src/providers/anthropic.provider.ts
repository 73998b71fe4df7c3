import type Anthropic from '@anthropic-ai/sdk';
import { readAnswer } from './answer.reader';
import { MessageAnswer, toMessageRequest, toProviderError } from './anthropic.translate';
import type { Completion, CompletionRequest, Provider } from './provider';

/** Calls the Messages API through the Anthropic SDK, in the API version that the model wants. */
export class AnthropicProvider implements Provider {
  readonly vendor = 'anthropic';

  constructor(private readonly client: Anthropic) {}

  async *stream(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<string, Completion> {
    let answered = false;
    const { apiVersion } = request.dialect;
    const headers = apiVersion === undefined ? {} : { 'anthropic-version': apiVersion };
    try {
      const response = await this.client.messages.create(toMessageRequest(request), { signal, headers }).asResponse();
      answered = true;
      return yield* readAnswer(response, new MessageAnswer(), signal);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }
}
