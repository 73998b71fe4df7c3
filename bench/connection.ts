import { connect, type Socket } from 'node:net';

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_AT = 'HTTP/1.1 '.length;

/** One kept-alive connection that sends requests made beforehand, one after the other. Costs a fraction of any HTTP client, so that more of the machine is left for what is measured. */
export class Connection {
  private received: Buffer = Buffer.alloc(0);
  private bodyAt = -1;
  private end = -1;
  private settle: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | undefined;

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

  send(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(data: Buffer): void {
    this.received = this.received.length === 0 ? data : Buffer.concat([this.received, data]);
    if (this.bodyAt < 0 && !this.readHead()) return;
    if (this.received.length < this.end) return;
    const answer = { status: Number(this.received.toString('latin1', STATUS_AT, STATUS_AT + 3)), body: this.received.subarray(this.bodyAt, this.end) };
    this.received = this.received.subarray(this.end);
    this.bodyAt = -1;
    const { settle } = this;
    this.settle = undefined;
    settle?.resolve(answer);
  }

  private readHead(): boolean {
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const length = /content-length: *(\d+)/i.exec(this.received.toString('latin1', 0, headEnd))?.[1];
    if (length === undefined) {
      this.fail(new Error('An answer without Content-Length.'));
      return false;
    }
    this.bodyAt = headEnd + 4;
    this.end = this.bodyAt + Number(length);
    return true;
  }

  private fail(error: Error): void {
    const { settle } = this;
    this.settle = undefined;
    settle?.reject(error);
  }
}

/** A request as the bytes on the wire. */
export function rawRequest(method: string, path: string, key: string, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n${content}\r\n${text}`;
}
