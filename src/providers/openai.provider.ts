import type OpenAI from 'openai';
import { readAnswer } from './answer.reader';
import { CHAT_VENDORS, type ChatVendorName } from './chat-vendors';
import { ChatAnswer, toChatRequest, toProviderError } from './openai.translate';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { calledOffBy } from './vendor.http';
import { VendorResponse } from './vendor.response';

/** Calls chat completions through the openai SDK: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  /** The client must have the fetch of `VendorHttp`. */
  constructor(
    readonly vendor: ChatVendorName,
    private readonly client: OpenAI,
  ) {}

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    let answered = false;
    try {
      // The raw response, because a 200 may carry something else than the stream that was asked for.
      const response = await this.client.chat.completions.create(toChatRequest(request, vendor), calledOffBy(signal)).asResponse();
      answered = true;
      return await readAnswer(VendorResponse.of(response), new ChatAnswer(vendor), onText);
    } catch (error) {
      throw toProviderError(error, answered);
    }
  }
}
