import type Anthropic from '@anthropic-ai/sdk';
import { readAnswer } from './answer.reader';
import { MessageAnswer, toMessageRequest, toProviderError } from './anthropic.translate';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { calledOffBy } from './vendor.http';
import { VendorResponse } from './vendor.response';

/** Calls the Messages API through the Anthropic SDK, in the API version that the model wants. */
export class AnthropicProvider implements Provider {
  readonly vendor = 'anthropic';

  /** The client must have the fetch of `VendorHttp`. */
  constructor(private readonly client: Anthropic) {}

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    let answered = false;
    try {
      const options = { ...calledOffBy(signal), headers: this.headersFor(request) };
      const response = await this.client.messages.create(toMessageRequest(request), options).asResponse();
      answered = true;
      return await readAnswer(VendorResponse.of(response), new MessageAnswer(), onText);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }

  // The SDK speaks the newest version; an older one is asked for by its header, and is documented with the key in x-api-key only.
  private headersFor({ dialect: { apiVersion } }: CompletionRequest): Record<string, string | null> {
    if (apiVersion !== '2023-06-01') return apiVersion === undefined ? {} : { 'anthropic-version': apiVersion };
    return { 'anthropic-version': apiVersion, authorization: null, 'x-api-key': this.client.apiKey };
  }
}
