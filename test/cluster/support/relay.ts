import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { endOnce } from '../../support/cleanup';
import { destroyTogether } from '../../support/tcp-proxy';

/** An address whose new connections lead wherever it says at the time, while the old ones stay where they are. */
export class Relay {
  private readonly sockets = new Set<Socket>();
  readonly close = endOnce(async () => {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  });

  private constructor(
    private readonly server: Server,
    public target: number,
  ) {
    server.on('connection', (client: Socket) => {
      const behind = connect(this.target, '127.0.0.1');
      client.pipe(behind).pipe(client);
      destroyTogether(this.sockets, client, behind);
    });
  }

  static async to(target: number): Promise<Relay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Relay(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}
