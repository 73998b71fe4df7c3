import { TEST_SECRETS } from './service';
import { worker } from './worker';

/** An answer with its raw text, since JSON.parse would hide how numbers are printed. */
export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

/** Anything an answer may hold, for tests that look into it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are what is under test
export type Json = any;

/** Options of a request beside its body. */
export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Speaks to the service over HTTP, as a caller does. */
export class Api {
  constructor(
    readonly key: string | undefined,
    readonly url: string = worker().serviceUrl,
  ) {}

  get(path: string, options?: CallOptions): Promise<Answer<Json>> {
    return this.call('GET', path, undefined, options);
  }

  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer<Json>> {
    return this.call('POST', path, body, options);
  }

  patch(path: string, body?: unknown): Promise<Answer<Json>> {
    return this.call('PATCH', path, body);
  }

  delete(path: string): Promise<Answer<Json>> {
    return this.call('DELETE', path);
  }

  /** The usual request: POST /compare. */
  compare(body: unknown, options?: CallOptions): Promise<Answer<Json>> {
    return this.post('/api/v1/compare', body, options);
  }

  async call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer<Json>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: bodyOf(response, text) };
  }
}

function bodyOf({ headers }: Response, text: string): Json {
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '');
  // An answer to HEAD has the headers only.
  return isJson && text !== '' ? JSON.parse(text) : undefined;
}

/** The operator at the service of this worker, or at another one. */
export function operator(url?: string): Api {
  return new Api(TEST_SECRETS.ADMIN_API_KEY, url);
}
