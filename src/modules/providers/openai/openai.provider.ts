import { callVendor } from '../call-vendor';
import { CHAT_VENDORS, type ChatVendorName } from '../chat-vendors';
import {
  serverAddressOf,
  type Completion,
  type CompletionRequest,
  type OnText,
  type Provider,
  type ServerAddress,
  type VendorAccess,
} from '../provider';
import { endpointOf, type Endpoint, type HttpTransport } from '../transport/http-transport';
import { ChatAccumulator } from './chat-accumulator';
import { prepareChatRequest } from './prepare-chat-request';

/** Calls chat completions: OpenAI itself and every vendor that speaks its protocol. */
export class OpenAiProvider implements Provider {
  readonly address: ServerAddress;
  private readonly endpoint: Endpoint;

  constructor(
    readonly vendor: ChatVendorName,
    private readonly transport: Pick<HttpTransport, 'post'>,
    { apiKey, baseUrl }: VendorAccess,
  ) {
    this.address = serverAddressOf(baseUrl);
    this.endpoint = endpointOf(baseUrl, '/chat/completions', { authorization: `Bearer ${apiKey}` });
  }

  complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const vendor = CHAT_VENDORS[this.vendor];
    return callVendor(this.transport, {
      endpoint: this.endpoint,
      body: prepareChatRequest(request, vendor),
      accumulator: new ChatAccumulator(vendor),
      request,
      signal,
      onText,
    });
  }
}
