import { responseTooLong } from '../response-limits';
/** Takes a piece of a body; true when no more is wanted. */
export type Take = (chunk: Buffer) => boolean;

/** What is wanted of headers. */
export type ResponseHeaders = Pick<Headers, 'get'>;

/** What a response may ask of the connection that it comes over. */
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

/** A vendor's answer while it comes in: its body is handed over without a stream in between. */
export class StreamingResponse {
  readonly ok: boolean;
  private readonly early: Buffer[] = [];
  private reader: Reader | undefined;
  private end: { cause?: unknown } | undefined;

  constructor(
    readonly status: number,
    readonly headers: ResponseHeaders,
    private readonly wire: ConnectionHandle,
  ) {
    this.ok = status >= 200 && status < 300;
  }

  /**
   * Gives every piece of the body to `take` the moment it has come. Resolves with the end of the body, or as soon as no more is wanted.
   * @throws what broke the connection, why it was called off, what `take` throws
   */
  async read(take: Take): Promise<void> {
    for (const chunk of this.early.splice(0)) {
      if (take(chunk)) return this.leave();
    }
    if (this.end === undefined) await new Promise<void>((resolve, reject) => { this.reader = { take, resolve, reject }; });
    else if ('cause' in this.end) throw this.end.cause;
  }

  /** The whole body as text. @throws ProviderError invalid_answer as soon as it has more bytes than that */
  async text(maxBytes: number): Promise<string> {
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

  /** @throws SyntaxError for anything but JSON, and what `text` throws */
  async json(maxBytes: number): Promise<unknown> {
    return JSON.parse(await this.text(maxBytes)) as unknown;
  }

  /** Lets go of a body that nobody wants to read to its end. */
  cancel(): void {
    this.wire.abort();
  }

  /** For the wire: a piece has come. */
  push(chunk: Buffer): void {
    if (this.end !== undefined) return;
    if (this.reader === undefined) {
      this.early.push(chunk);
      return;
    }
    try {
      if (this.reader.take(chunk)) this.leave();
    } catch (cause) {
      this.fail(cause);
    }
  }

  /** For the wire: the body is whole. */
  finish(): void {
    this.end ??= {};
    this.reader?.resolve();
  }

  /** For the wire: the body will never be whole. */
  fail(cause: unknown): void {
    this.end ??= { cause };
    this.reader?.reject(cause);
  }

  private leave(): void {
    this.finish();
    this.wire.release();
  }
}
