import { connectionFailed, invalidResponse, mapProviderError } from './map-provider-error';
import { parseErrorBody } from './parse-error-body';
import type { Completion, CompletionRequest, OnText } from './provider';
import { ProviderError } from './provider.error';
import { jsonOr, readResponse, type ResponseAccumulator } from './read-response';
import { MAX_ERROR_BODY_BYTES, responseLimits } from './response-limits';
import type { Endpoint, HttpTransport } from './transport/http-transport';
import type { VendorResponse } from './transport/vendor-response';

interface VendorCall<Event> {
  endpoint: Endpoint;
  body: object;
  accumulator: ResponseAccumulator<Event>;
  request: Pick<CompletionRequest, 'maxTokens'>;
  signal: AbortSignal;
  onText: OnText;
}

/** Sends a request to a vendor and reads its answer, streamed or whole. @throws ProviderError */
export async function callVendor<Event>(
  transport: Pick<HttpTransport, 'post'>,
  { endpoint, body, accumulator, request, signal, onText }: VendorCall<Event>,
): Promise<Completion> {
  let hasBegun = false;
  try {
    const response = await transport.post(endpoint, JSON.stringify(body), signal);
    if (response.status < 200 || response.status > 299) throw await refusalIn(response);
    hasBegun = true;
    return await readResponse(response, accumulator, responseLimits(request.maxTokens), onText);
  } catch (error) {
    throw mapCallError(error, hasBegun);
  }
}

/** A body that breaks off, never ends or is no JSON says nothing: then the status decides. */
async function refusalIn(response: VendorResponse): Promise<ProviderError> {
  const text = await response.readText(MAX_ERROR_BODY_BYTES).catch(() => {
    response.cancel();
    return '';
  });
  const { status, headers } = response;
  return mapProviderError({ ...parseErrorBody(jsonOr(undefined, text)), status, headers });
}

/** Anything that was thrown: by the transport, or because the answer has another form than the protocol says. */
export function mapCallError(error: unknown, afterFirstByte: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  return error instanceof SyntaxError || error instanceof TypeError
    ? invalidResponse(error)
    : connectionFailed(afterFirstByte, error);
}
