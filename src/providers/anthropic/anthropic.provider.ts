import { APIConnectionError, APIError, type Anthropic } from '@anthropic-ai/sdk';
import { mapSdkError } from '../map-sdk-error';
import { serverAddressOf, type Completion, type CompletionRequest, type OnText, type Provider, type ServerAddress } from '../provider';
import { readResponse } from '../read-response';
import { responseLimits } from '../response-limits';
import { StreamingResponse } from '../transport/streaming-response';
import { MessageAccumulator } from './message-accumulator';
import { prepareMessageRequest } from './prepare-message-request';

/** Calls the Messages API through the Anthropic SDK, in the API version that the model needs. */
export class AnthropicProvider implements Provider {
  readonly vendor = 'anthropic';
  readonly address: ServerAddress;

  /** The client must have been created with the `fetch` of `HttpTransport`. */
  constructor(private readonly client: Anthropic) {
    this.address = serverAddressOf(client.baseURL);
  }

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    let hasBegun = false;
    try {
      const response = await this.client.messages.create(prepareMessageRequest(request), { signal, headers: this.headersFor(request) }).asResponse();
      hasBegun = true;
      return await readResponse(StreamingResponse.from(response), new MessageAccumulator(), responseLimits(request.maxTokens), onText);
    } catch (error) {
      throw mapSdkError(error, hasBegun, { APIConnectionError, APIError });
    }
  }

  // The SDK speaks the newest version; an older one is asked for by its header, and is documented with the key in x-api-key only.
  private headersFor({ dialect: { apiVersion } }: CompletionRequest): Record<string, string | null> {
    if (apiVersion !== '2023-06-01') return apiVersion === undefined ? {} : { 'anthropic-version': apiVersion };
    return { 'anthropic-version': apiVersion, authorization: null, 'x-api-key': this.client.apiKey };
  }
}
