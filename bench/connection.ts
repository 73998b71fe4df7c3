import { connect, type Socket } from 'node:net';

/** A raw answer; the body of a chunked one includes the chunk sizes. */
export interface RawAnswer {
  status: number;
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const STATUS_AT = 'HTTP/1.1 '.length;

type OnData = (data: Buffer) => void;

/** One kept-alive connection that sends requests made beforehand, one after the other. Costs a fraction of any HTTP client, so that more of the machine is left for what is measured. */
export class Connection {
  private received: Buffer[] = [];
  private size = 0;
  private bodyAt = -1;
  /** Where the answer ends; Infinity of one in chunks. */
  private end = -1;
  private waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void; onData: OnData | undefined } | undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (data) => this.take(data));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('The connection was closed.')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  /** Resolves with the whole answer; `onData` sees its bytes as they come. */
  send(request: Buffer, onData?: OnData): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject, onData };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(data: Buffer): void {
    this.waiting?.onData?.(data);
    this.received.push(data);
    this.size += data.length;
    if (this.bodyAt < 0 && !this.readHead()) return;
    if (this.end === Infinity ? !this.hasLastChunk() : this.size < this.end) return;
    const whole = this.join();
    const answer = { status: Number(whole.toString('latin1', STATUS_AT, STATUS_AT + 3)), body: whole.subarray(this.bodyAt, this.size) };
    this.received = [];
    this.size = 0;
    this.bodyAt = -1;
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(answer);
  }

  private readHead(): boolean {
    const received = this.join();
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const head = received.toString('latin1', 0, headEnd);
    const length = /content-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined && !/transfer-encoding: *chunked/i.test(head)) {
      this.fail(new Error('An answer that does not say where it ends.'));
      return false;
    }
    this.bodyAt = headEnd + 4;
    this.end = length === undefined ? Infinity : this.bodyAt + Number(length);
    return true;
  }

  // Events end in an empty line, so that no chunk of one looks like the last.
  private hasLastChunk(): boolean {
    const last = this.received.at(-1)?.length ?? 0;
    const tail = last < LAST_CHUNK.length ? this.join() : this.received.at(-1);
    return tail?.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) ?? false;
  }

  private join(): Buffer {
    const [first = Buffer.alloc(0)] = this.received;
    const whole = this.received.length <= 1 ? first : Buffer.concat(this.received);
    this.received = [whole];
    return whole;
  }

  private fail(error: Error): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.reject(error);
  }
}

/** A request as the bytes on the wire. */
export function rawRequest(method: string, path: string, key: string, body?: unknown, headers = ''): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n${headers}${content}\r\n${text}`;
}
