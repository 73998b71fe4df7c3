import type { Dispatcher } from 'undici';

/**
 * Sends a request and resolves with the status at the end of the response. undici's dispatcher costs less than any
 * client above it.
 */
export function send(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  onData: (chunk: Buffer) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    dispatcher.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, code) => {
        status = code;
      },
      onResponseData: (_controller, chunk) => onData(chunk),
      onResponseEnd: () => resolve(status),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}
