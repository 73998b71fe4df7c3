import type OpenAI from 'openai';
import { answerLimits } from './answer-limits';
import { readAnswer, refusalOf } from './answer.reader';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import { ChatAnswer, toChatRequest, toProviderError } from './openai.translate';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { SdkRequests } from './sdk-request';
import type { VendorHttp } from './vendor.http';

/** Calls chat completions with the requests of the openai SDK: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  private readonly requests: SdkRequests;

  constructor(
    readonly vendor: ChatVendorName,
    client: OpenAI,
    private readonly http: VendorHttp,
  ) {
    this.requests = new SdkRequests(client, '/chat/completions');
  }

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    let answered = false;
    try {
      const response = await this.http.post(await this.requests.head(), JSON.stringify(toChatRequest(request, vendor)), signal);
      if (!response.ok) throw await refusalOf(response);
      answered = true;
      return await readAnswer(response, new ChatAnswer(vendor), answerLimits(request.maxTokens), onText);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }
}
