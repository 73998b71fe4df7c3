import type Anthropic from '@anthropic-ai/sdk';
import { responseLimits } from './response-limits';
import { readResponse, errorFromResponse } from './read-response';
import { MessageAccumulator, toMessageRequest, toProviderError } from './anthropic.translate';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { SdkRequests } from './sdk-request';
import type { HttpTransport } from './transport/http-transport';

/** Calls the Messages API with the requests of the Anthropic SDK, in the API version that the model wants. */
export class AnthropicProvider implements Provider {
  readonly vendor = 'anthropic';
  private readonly requests: SdkRequests;

  constructor(
    private readonly client: Anthropic,
    private readonly http: HttpTransport,
  ) {
    this.requests = new SdkRequests(client, '/v1/messages');
  }

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    let answered = false;
    try {
      const response = await this.http.post(await this.requests.head(this.headersFor(request)), JSON.stringify(toMessageRequest(request)), signal);
      if (!response.ok) throw await errorFromResponse(response);
      answered = true;
      return await readResponse(response, new MessageAccumulator(), responseLimits(request.maxTokens), onText);
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
