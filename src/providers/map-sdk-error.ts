import { connectionFailed, invalidResponse, mapProviderError } from './map-provider-error';
import { parseErrorBody } from './parse-error-body';
import { ProviderError } from './provider.error';

/** The error classes of a vendor's SDK; both SDKs name and build them alike. */
interface SdkErrors {
  APIError: abstract new (...parameters: never[]) => Error;
  APIConnectionError: abstract new (...parameters: never[]) => Error;
}

/** Maps anything that a call threw to a ProviderError: an error of the SDK, of the transport, or a ProviderError itself. */
export function mapSdkError(error: unknown, afterFirstByte: boolean, { APIError, APIConnectionError }: SdkErrors): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    const { status, headers, error: body } = error as { status?: number; headers?: Headers; error?: unknown };
    const facts = parseErrorBody(body);
    return mapProviderError({ headers, codes: facts.codes, message: facts.message, status: status ?? facts.status, afterFirstByte, cause: error });
  }
  return error instanceof SyntaxError ? invalidResponse(error) : connectionFailed(afterFirstByte, error);
}
