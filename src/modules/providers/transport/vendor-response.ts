import { responseTooLong } from '../response-limits';

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

/** The headers of a response, by their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The value of a header; several are joined by commas. */
export function headerOf(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** A vendor's response while it comes in. Its body is handed to `read` as it comes. */
export class VendorResponse {
  private readonly early: Buffer[] = [];
  private reader: Reader | undefined;
  private end: { cause?: unknown } | undefined;

  constructor(
    readonly status: number,
    readonly headers: ResponseHeaders,
    private readonly connection: ConnectionHandle,
  ) {}

  /**
   * Gives every chunk of the body to `take` the moment it has come. Resolves with the end of the body, or as soon as no
   * more is wanted.
   * @throws what broke the connection, the reason of the call's signal, what `take` throws
   */
  async read(take: Take): Promise<void> {
    for (const chunk of this.early.splice(0)) {
      if (take(chunk)) return this.release();
    }
    if (this.end === undefined)
      await new Promise<void>((resolve, reject) => {
        this.reader = { take, resolve, reject };
      });
    else if ('cause' in this.end) throw this.end.cause;
  }

  /**
   * The whole body as text. @throws ProviderError invalid_answer as soon as it has more bytes than that, and what
   * `read` throws
   */
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
