import type { Socket } from 'node:net';
import { destroyTogether, startTcpProxy, type TcpProxy } from './tcp-proxy';

const LENGTH = 4;
const HEADER = 1 + LENGTH;
const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')]);

/**
 * Refuses prepared statements as a pooler in transaction mode does whose server connection knows the name already; all
 * others pass.
 */
export class UnpreparingPooler {
  /** Names of the statements that were sent. */
  readonly names = new Set<string>();
  /** Of those it refused, with how many connections ended after it. */
  refused = 0;
  endedAfterRefusal = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly front: TcpProxy,
    private readonly refuses: (text: string) => boolean,
  ) {}

  /** Starts one in front of that database, on a free port; by default it refuses every name. */
  static async inFrontOf(
    databaseUrl: string,
    refuses: (text: string) => boolean = () => true,
  ): Promise<UnpreparingPooler> {
    const pooler = new UnpreparingPooler(await startTcpProxy(databaseUrl), refuses);
    pooler.front.server.on('connection', (client) => pooler.join(client, pooler.front.connectToDatabase()));
    return pooler;
  }

  get url(): string {
    return this.front.url;
  }

  close(): void {
    this.front.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket, database: Socket): void {
    let waiting = Buffer.alloc(0);
    let isStarted = false;
    let isSkipping = false;
    let wasRefused = false;
    client.on('data', (data) => {
      waiting = Buffer.concat([waiting, data]);
      for (;;) {
        const start = isStarted ? 1 : 0;
        if (waiting.length < start + LENGTH || waiting.length < start + waiting.readInt32BE(start)) return;
        const end = start + waiting.readInt32BE(start);
        const message = waiting.subarray(0, end);
        waiting = waiting.subarray(end);
        const type = isStarted ? message.toString('latin1', 0, 1) : '';
        isStarted = true;
        if (type === 'P' && this.isRefused(message)) {
          isSkipping = wasRefused = true;
          client.write(refusal());
        } else if (!isSkipping) {
          database.write(message);
        } else if (type === 'S') {
          isSkipping = false;
          client.write(READY);
        }
      }
    });
    client.on('close', () => {
      if (wasRefused) this.endedAfterRefusal += 1;
    });
    database.pipe(client);
    destroyTogether(this.sockets, client, database);
  }

  private isRefused(parse: Buffer): boolean {
    const [name = '', text = ''] = parse.toString('utf8', HEADER).split('\0');
    if (name === '') return false;
    this.names.add(name);
    if (!this.refuses(text)) return false;
    this.refused += 1;
    return true;
  }
}

function refusal(): Buffer {
  const fields = Buffer.from('SERROR\0VERROR\0C42P05\0Mprepared statement already exists\0\0');
  const length = Buffer.alloc(LENGTH);
  length.writeInt32BE(LENGTH + fields.length);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}
