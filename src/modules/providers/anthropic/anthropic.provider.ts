import { callVendor } from '../call-vendor';
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
import { MessageAccumulator } from './message-accumulator';
import { prepareMessageRequest } from './prepare-message-request';

/** The version that the types of the SDK describe. */
const API_VERSION = '2026-10-21';
/** It documents the key in the header `x-api-key` only; later versions take a bearer token. */
const FIRST_API_VERSION = '2023-06-01';

/** Calls the Messages API, in the API version that the model needs. */
export class AnthropicProvider implements Provider {
  readonly vendor = 'anthropic';
  readonly address: ServerAddress;
  private readonly apiKey: string;
  private readonly endpoint: Endpoint;

  constructor(
    private readonly transport: Pick<HttpTransport, 'post'>,
    { apiKey, baseUrl }: VendorAccess,
  ) {
    this.address = serverAddressOf(baseUrl);
    this.apiKey = apiKey;
    this.endpoint = endpointOf(baseUrl, '/v1/messages', {});
  }

  complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    const endpoint = this.endpointFor(request.dialect.apiVersion ?? API_VERSION);
    return callVendor(this.transport, {
      endpoint,
      body: prepareMessageRequest(request),
      accumulator: new MessageAccumulator(),
      request,
      signal,
      onText,
    });
  }

  private endpointFor(version: string): Endpoint {
    const [header, key] =
      version === FIRST_API_VERSION ? ['x-api-key', this.apiKey] : ['authorization', `Bearer ${this.apiKey}`];
    return { ...this.endpoint, headers: { ...this.endpoint.headers, 'anthropic-version': version, [header]: key } };
  }
}
