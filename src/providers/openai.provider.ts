import type OpenAI from 'openai';
import { responseLimits } from './response-limits';
import { readResponse, errorFromResponse } from './read-response';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import { ChatAccumulator, toChatRequest, toProviderError } from './openai.translate';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { SdkRequests } from './sdk-request';
import type { HttpTransport } from './transport/http-transport';

/** Calls chat completions with the requests of the openai SDK: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  private readonly requests: SdkRequests;

  constructor(
    readonly vendor: ChatVendorName,
    client: OpenAI,
    private readonly http: HttpTransport,
  ) {
    this.requests = new SdkRequests(client, '/chat/completions');
  }

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    let answered = false;
    try {
      const response = await this.http.post(await this.requests.head(), JSON.stringify(toChatRequest(request, vendor)), signal);
      if (!response.ok) throw await errorFromResponse(response);
      answered = true;
      return await readResponse(response, new ChatAccumulator(vendor), responseLimits(request.maxTokens), onText);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }
}
