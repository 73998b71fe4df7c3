import { MAX_ERROR_BODY_BYTES, responseTooLong } from '../response-limits';

/** Takes a chunk of a body; true when no more is wanted. */
export type Take = (chunk: Buffer) => boolean;

/** The actions of a response on its connection. */
export interface ConnectionHandle {
  /** The rest of the body is not wanted, but the connection may be of use again. */
  release(): void;
  /** Ends the connection, unless the body has ended. */
  abort(): void;
}

interface Reader {
  take: Take;
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * A vendor's response while it comes in. To the SDKs it is a `Response` like any other; its body is handed to `read` as it comes, without a web stream in
 * between, so `body` is null.
 */
export class StreamingResponse extends Response {
  /** Reads the body of an error, as the SDKs do: a body that breaks off, or never ends, counts as none. */
  override readonly text = (): Promise<string> => this.readText(MAX_ERROR_BODY_BYTES).catch(() => {
    this.cancel();
    return '';
  });

  private readonly early: Buffer[] = [];
  private reader: Reader | undefined;
  private end: { cause?: unknown } | undefined;

  constructor(
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    private readonly connection: ConnectionHandle,
  ) {
    super(null, { status, headers: singleValues(headers) });
  }

  /** The response that an SDK returns from `asResponse()`: the same object that our `fetch` returned. @throws Error for any other */
  static from(response: Response): StreamingResponse {
    if (response instanceof StreamingResponse) return response;
    throw new TypeError('The client of an SDK must be created with the fetch of HttpTransport.');
  }

  /**
   * Gives every chunk of the body to `take` the moment it has come. Resolves with the end of the body, or as soon as no more is wanted.
   * @throws what broke the connection, the reason of the call's signal, what `take` throws
   */
  async read(take: Take): Promise<void> {
    for (const chunk of this.early.splice(0)) {
      if (take(chunk)) return this.release();
    }
    if (this.end === undefined) await new Promise<void>((resolve, reject) => { this.reader = { take, resolve, reject }; });
    else if ('cause' in this.end) throw this.end.cause;
  }

  /** The whole body as text. @throws ProviderError invalid_answer as soon as it has more bytes than that, and what `read` throws */
  async readText(maxBytes: number): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    await this.read((chunk) => {
      bytes += chunk.length;
      if (bytes > maxBytes) throw responseTooLong();
      chunks.push(chunk);
      return false;
    });
    return new TextDecoder().decode(Buffer.concat(chunks));
  }

  /** Ends the connection of a body that is not read to its end. */
  cancel(): void {
    this.connection.abort();
  }

  /** For the connection: a chunk has come. */
  push(chunk: Buffer): void {
    if (this.end !== undefined) return;
    if (this.reader === undefined) {
      this.early.push(chunk);
      return;
    }
    try {
      if (this.reader.take(chunk)) this.release();
    } catch (cause) {
      this.fail(cause);
    }
  }

  /** For the connection: the body is complete. */
  finish(): void {
    this.end ??= {};
    this.reader?.resolve();
  }

  /** For the connection: the body will never be complete. */
  fail(cause: unknown): void {
    this.end ??= { cause };
    this.reader?.reject(cause);
  }

  private release(): void {
    this.finish();
    this.connection.release();
  }
}

function singleValues(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) values[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return values;
}
