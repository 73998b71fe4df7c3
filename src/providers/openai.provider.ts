import type OpenAI from 'openai';
import { readAnswer, refusalOf } from './answer.reader';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import { ChatAnswer, toChatRequest, toProviderError } from './openai.translate';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import type { VendorHttp } from './vendor.http';

/** Calls chat completions with the requests of the openai SDK: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  constructor(
    readonly vendor: ChatVendorName,
    private readonly client: OpenAI,
    private readonly http: VendorHttp,
  ) {}

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    let answered = false;
    try {
      const { req, url } = await this.client.buildRequest({ method: 'post', path: '/chat/completions', body: toChatRequest(request, vendor) });
      const response = await this.http.post({ url, headers: req.headers, body: req.body as string }, signal);
      if (!response.ok) throw await refusalOf(response);
      answered = true;
      return await readAnswer(response, new ChatAnswer(vendor), onText);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }
}
