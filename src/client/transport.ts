import { parseJson, type MoneyFormat } from './amounts';
import { AuthenticationError, CompareError, ConnectionError, errorFromBody, ServiceError } from './errors';
import { delay, Retries } from './retries';

/** Where the service is, and how to speak to it. */
export interface ClientOptions<Format extends MoneyFormat = MoneyFormat> {
  /** The address of the service, such as `http://127.0.0.1:3000`; in a browser `''` is the page's own. */
  baseUrl: string | undefined;
  /** `null` for what needs no key, such as a shared eval. */
  apiKey: string | null | undefined;
  /** How amounts of money are handed over; exact decimal text by default. */
  money?: Format;
  /** How often a call is sent again after a temporary failure; 2 by default. */
  maxRetries?: number;
  /** Milliseconds that one try may take, and that a stream may be silent at its beginning; 180,000 by default. */
  timeoutMs?: number;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Stops waiting for the answer. A compare that has begun goes on, is stored and charged. */
  signal?: AbortSignal | undefined;
  /** How often this call is sent again after a temporary failure. */
  maxRetries?: number | undefined;
}

/** One request. */
export interface Call extends CallOptions {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** True if the request may be repeated although the first may have arrived; by default all but POST. */
  isRepeatable?: boolean;
}

const DEFAULT_TIMEOUT_MS = 180_000;
const DEFAULT_RETRIES = 2;

/** Sends requests, again where that is safe, and turns every failure into a `CompareError`. */
export class Transport {
  readonly money: MoneyFormat;
  private readonly baseUrl: string;
  private readonly authorization: Record<string, string>;

  /** @throws CompareError invalid_base_url, AuthenticationError invalid_api_key: missing or unusable */
  constructor(private readonly options: ClientOptions) {
    this.money = options.money ?? 'text';
    this.baseUrl = addressOf(options.baseUrl);
    this.authorization = authorizationOf(options.apiKey);
  }

  /** The JSON of the answer; undefined where it has no content. @throws CompareError */
  json<T>(call: Call): Promise<T> {
    return this.send(call, (response) => this.readJson<T>(response));
  }

  /** Sends the request and reads the answer, both again after a temporary failure. @throws CompareError, the reason of the signal */
  async send<T>(call: Call, read: (response: Response, stop: AbortController) => Promise<T>): Promise<T> {
    const retries = new Retries(call.maxRetries ?? this.options.maxRetries ?? DEFAULT_RETRIES, call.isRepeatable ?? call.method !== 'POST');
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

  /** Reads JSON with the amounts in the format of this client. @throws ServiceError unexpected_answer, or what reading the body throws */
  async readJson<T>(response: Response): Promise<T> {
    if (response.status === 204) return undefined as T;
    const text = await response.text();
    try {
      return parseJson(text, this.money) as T;
    } catch (cause) {
      throw unexpectedAnswer(response, cause);
    }
  }

  private async trySend<T>(call: Call, read: (response: Response, stop: AbortController) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const signal = call.signal === undefined ? stop.signal : AbortSignal.any([call.signal, stop.signal]);
    const timeout = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timer = setTimeout(() => stop.abort(new ConnectionError(`No answer within ${timeout / 1000} seconds.`, { code: 'no_answer_in_time' })), timeout);
    let isHeadRead = false;
    try {
      const response = await this.fetch(call, signal);
      isHeadRead = true;
      if (!response.ok) throw await this.errorFrom(response);
      return await read(response, stop);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw asCompareError(error, this.baseUrl, isHeadRead);
    } finally {
      clearTimeout(timer);
    }
  }

  private fetch({ method, path, query = {}, body, headers }: Call, signal: AbortSignal): Promise<Response> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null).map(([name, value]): [string, string] => [name, String(value)]);
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    return (this.options.fetch ?? globalThis.fetch)(`${this.baseUrl}${path}${search}`, {
      method,
      signal,
      headers: {
        accept: 'application/json', ...this.authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }), ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  private async errorFrom(response: Response): Promise<CompareError> {
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    const facts = { status: response.status, retryAfter: Number.isFinite(seconds) ? seconds : undefined, requestId: response.headers.get('x-request-id') ?? undefined };
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

/** The query that asks for them. */
export function withInclude({ details, checks, statistics }: IncludeOptions): { include?: string } {
  const wanted = Object.entries({ details, checks, statistics }).filter(([, isWanted]) => isWanted === true).map(([name]) => name);
  return wanted.length === 0 ? {} : { include: wanted.join() };
}

/** The answer is not the API's: most often another server is at that address. */
export function unexpectedAnswer(response: Response, cause?: unknown): ServiceError {
  const type = response.headers.get('content-type') ?? 'no content type';
  return new ServiceError(`The answer does not come from the API (${response.status}, ${type}). Is the address correct?`, { code: 'unexpected_answer', status: response.status, cause });
}

/** Neither sentence repeats what was passed: somebody may have mixed the two up. */
function addressOf(baseUrl: string | undefined): string {
  if (typeof baseUrl === 'string' && (baseUrl === '' ? 'location' in globalThis : /^https?:/i.test(baseUrl) && URL.canParse(baseUrl))) return baseUrl.replace(/\/+$/, '');
  throw new CompareError('baseUrl is missing or is not the whole address of the service, such as http://127.0.0.1:3000.', { code: 'invalid_base_url' });
}

function authorizationOf(key: string | null | undefined): Record<string, string> {
  if (key === null) return {};
  if (key === undefined || key === '') throw new AuthenticationError('apiKey is missing; pass null for calls that need no key.', { code: 'invalid_api_key' });
  if (!/^[\x21-\x7e]+$/.test(key)) throw new AuthenticationError('The API key contains characters that no key has, such as white space.', { code: 'invalid_api_key' });
  return { authorization: `Bearer ${key}` };
}

function asCompareError(error: unknown, baseUrl: string, isHeadRead: boolean): CompareError {
  if (error instanceof CompareError) return error;
  return isHeadRead
    ? new ConnectionError('The connection broke before the end of the answer.', { code: 'connection_lost', cause: error })
    : new ConnectionError(`No connection to ${baseUrl === '' ? 'the service' : baseUrl}.`, { code: 'connection_failed', cause: error });
}
