import { parseJson, type MoneyFormat } from './amounts';
import { CompareError, ConnectionError, errorFromBody, ServiceError } from './errors';
import { delay, Retries } from './retries';
import { addressOf, keyOf, userAgent } from './surroundings';

/** Where the service is, and how to speak to it. */
export interface ClientOptions<Format extends MoneyFormat = MoneyFormat> {
  /**
   * The address of the service, such as `http://127.0.0.1:3000`; by default `MCS_URL` of the environment. In a browser
   * `''` is the page's own.
   */
  baseUrl?: string | undefined;
  /** By default `MCS_API_KEY` of the environment; `null` for what needs no key, such as a shared eval. */
  apiKey?: string | null | undefined;
  /** How amounts of money are handed over; exact decimal text by default. */
  money?: Format;
  /** How often a call is sent again after a temporary failure; 2 by default. */
  maxRetries?: number;
  /** Milliseconds that one try may take, and that a stream may be silent at its beginning; 180,000 by default. */
  timeoutMs?: number;
  /** Headers of every request, such as a proxy's. They replace none of the client's except `user-agent`. */
  defaultHeaders?: Record<string, string>;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Stops waiting for the answer. A compare that has begun goes on, is stored and charged. */
  signal?: AbortSignal | undefined;
  /** How often this call is sent again after a temporary failure. */
  maxRetries?: number | undefined;
  /** Milliseconds that one try of this call may take. */
  timeoutMs?: number | undefined;
}

/** A body that can be sent again. */
export type Content = string | Blob | Uint8Array<ArrayBuffer>;

/** One request. */
export interface Call extends CallOptions {
  /** GET by default. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** A body that is not JSON; `headers` name its type. */
  content?: Content;
  headers?: Record<string, string>;
  /** True if the request may be repeated although the first may have arrived; by default all but POST. */
  isRepeatable?: boolean;
}

const DEFAULT_TIMEOUT_MS = 180_000;
const DEFAULT_RETRIES = 2;
/** Timers end at once above it. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Sends requests, again where that is safe, and turns every failure into a `CompareError`. */
export class Transport {
  readonly money: MoneyFormat;
  private readonly baseUrl: string;
  // Private at run time too: neither console.log nor JSON.stringify prints a key.
  readonly #options: ClientOptions;
  readonly #key: string | null;

  /** @throws CompareError invalid_base_url, AuthenticationError invalid_api_key: missing or unusable */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.money = options.money ?? 'text';
    this.baseUrl = addressOf(options.baseUrl);
    this.#key = keyOf(options.apiKey);
  }

  /** The JSON of the answer; undefined where it has no content. @throws CompareError */
  json<T>(call: Call): Promise<T> {
    return this.send(call, (response) => this.readJson<T>(response));
  }

  /**
   * Sends the request and reads the answer, both again after a temporary failure. @throws CompareError, the reason of
   * the signal
   */
  async send<T>(call: Call, read: (response: Response, stop: AbortController) => Promise<T>): Promise<T> {
    const retries = new Retries(
      call.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES,
      call.isRepeatable ?? call.method !== 'POST',
    );
    for (;;) {
      try {
        return await this.trySend(call, read);
      } catch (error) {
        const wait = retries.nextDelay(error);
        if (wait === undefined) throw error;
        await delay(wait, call.signal);
      }
    }
  }

  /**
   * Reads JSON with the amounts in the format of this client. @throws ServiceError unexpected_answer, or what reading
   * the body throws
   */
  async readJson<T>(response: Response): Promise<T> {
    if (response.status === 204) return undefined as T;
    const text = await response.text();
    try {
      return withRequestId(parseJson(text, this.money) as T, response.headers.get('x-request-id'));
    } catch (cause) {
      throw unexpectedAnswer(response, cause);
    }
  }

  private async trySend<T>(call: Call, read: (response: Response, stop: AbortController) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const signal = call.signal === undefined ? stop.signal : AbortSignal.any([call.signal, stop.signal]);
    const timeout = Math.min(call.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS);
    const timer = setTimeout(
      () =>
        stop.abort(new ConnectionError(`No answer within ${timeout / 1000} seconds.`, { code: 'no_answer_in_time' })),
      timeout,
    );
    let isHeadRead = false;
    try {
      const response = await this.fetch(call, signal);
      isHeadRead = true;
      // 304 answers an If-None-Match.
      if (!response.ok && response.status !== 304) throw await this.errorFrom(response);
      return await read(response, stop);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw asCompareError(error, this.baseUrl, isHeadRead);
    } finally {
      clearTimeout(timer);
    }
  }

  private fetch(
    { method = 'GET', path, query = {}, body, content, headers }: Call,
    signal: AbortSignal,
  ): Promise<Response> {
    const given = Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]): [string, string] => [name, String(value)]);
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    return (this.#options.fetch ?? globalThis.fetch)(`${this.baseUrl}${path}${search}`, {
      method,
      signal,
      headers: this.headersOf(body, headers),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(content !== undefined && { body: content }),
    });
  }

  private headersOf(body: unknown, headers: Record<string, string> = {}): Headers {
    const all = new Headers(userAgent());
    const own = {
      accept: 'application/json',
      ...(this.#key !== null && { authorization: `Bearer ${this.#key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    for (const [name, value] of [...Object.entries(this.#options.defaultHeaders ?? {}), ...Object.entries(own)])
      all.set(name, value);
    return all;
  }

  private async errorFrom(response: Response): Promise<CompareError> {
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    const facts = {
      status: response.status,
      retryAfter: Number.isFinite(seconds) ? seconds : undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
    };
    const text = await response.text();
    try {
      return errorFromBody(parseJson(text, this.money), facts);
    } catch {
      return errorFromBody(undefined, facts);
    }
  }
}

/** Additional parts of an eval. */
export interface IncludeOptions {
  /** Charge, attempts, time to first token, parameters as sent, prices. */
  details?: boolean | undefined;
  /** The verdicts of the checks. */
  checks?: boolean | undefined;
  /** Figures over all samples, with intervals. */
  statistics?: boolean | undefined;
}

/** Additional parts of a stored eval: what people said about it. */
export interface IncludeJudgments {
  /** The preference of the key in use; null where it has none. */
  preference?: boolean | undefined;
  /** The note and the star. */
  note?: boolean | undefined;
}

/** The query that asks for them. */
export function withInclude({ details, checks, statistics, preference, note }: IncludeOptions & IncludeJudgments): {
  include?: string;
} {
  const wanted = Object.entries({ details, checks, statistics, preference, note })
    .filter(([, isWanted]) => isWanted === true)
    .map(([name]) => name);
  return wanted.length === 0 ? {} : { include: wanted.join() };
}

/** The answer is not the API's: most often another server is at that address. */
export function unexpectedAnswer(response: Response, cause?: unknown): ServiceError {
  const type = response.headers.get('content-type') ?? 'no content type';
  return new ServiceError(
    `The answer does not come from the API (${response.status}, ${type}). Is the address correct?`,
    { code: 'unexpected_answer', status: response.status, cause },
  );
}

/** Adds `_request_id` to an answer; it is not enumerable, so that the JSON of the answer stays the service's. */
export function withRequestId<T>(answer: T, id: string | null | undefined): T {
  if (typeof answer === 'object' && answer !== null && typeof id === 'string')
    Object.defineProperty(answer, '_request_id', { value: id });
  return answer;
}

/** Names the request of an answer in the log of the service; undefined for what is no answer. */
export function requestIdOf(answer: object): string | undefined {
  return (answer as { _request_id?: string })._request_id;
}

function asCompareError(error: unknown, baseUrl: string, isHeadRead: boolean): CompareError {
  if (error instanceof CompareError) return error;
  return isHeadRead
    ? new ConnectionError('The connection broke before the end of the answer.', {
        code: 'connection_lost',
        cause: error,
      })
    : new ConnectionError(`No connection to ${baseUrl === '' ? 'the service' : baseUrl}.`, {
        code: 'connection_failed',
        cause: error,
      });
}
