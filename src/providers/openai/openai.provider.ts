import { APIConnectionError, APIError, type OpenAI } from 'openai';
import { CHAT_VENDORS, type ChatVendorName } from '../chat-vendors';
import { mapSdkError } from '../map-sdk-error';
import { serverAddressOf, type Completion, type CompletionRequest, type OnText, type Provider, type ServerAddress } from '../provider';
import { readResponse } from '../read-response';
import { responseLimits } from '../response-limits';
import { StreamingResponse } from '../transport/streaming-response';
import { ChatAccumulator } from './chat-accumulator';
import { prepareChatRequest } from './prepare-chat-request';

/** Calls chat completions through the openai SDK: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  readonly address: ServerAddress;

  /** The client must have been created with the `fetch` of `HttpTransport`. */
  constructor(
    readonly vendor: ChatVendorName,
    private readonly client: OpenAI,
  ) {
    this.address = serverAddressOf(client.baseURL);
  }

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    let hasBegun = false;
    try {
      const response = await this.client.chat.completions.create(prepareChatRequest(request, vendor), { signal }).asResponse();
      hasBegun = true;
      return await readResponse(StreamingResponse.from(response), new ChatAccumulator(vendor), responseLimits(request.maxTokens), onText);
    } catch (error) {
      throw mapSdkError(error, hasBegun, { APIConnectionError, APIError });
    }
  }
}
