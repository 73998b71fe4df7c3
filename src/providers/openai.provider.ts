import type OpenAI from 'openai';
import { readAnswer } from './answer.reader';
import { ChatAnswer, toChatRequest, toProviderError } from './openai.translate';
import type { Completion, CompletionRequest, Provider, Vendor } from './provider';

/** Calls chat completions through the openai SDK. */
export class OpenAiProvider implements Provider {
  constructor(
    readonly vendor: Vendor,
    private readonly client: OpenAI,
  ) {}

  async *stream(request: CompletionRequest, signal: AbortSignal): AsyncGenerator<string, Completion> {
    let answered = false;
    try {
      // The raw response, because a 200 may carry something else than the stream that was asked for.
      const response = await this.client.chat.completions.create(toChatRequest(request), { signal }).asResponse();
      answered = true;
      return yield* readAnswer(response, new ChatAnswer(), signal);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }
}
