import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP server to which the connections to a database go instead. */
export interface TcpProxy {
  server: Server;
  /** The connection string of the database through the proxy. */
  url: string;
  /** Opens a new connection to the database itself. */
  connectToDatabase: () => Socket;
}

/** Starts a proxy in front of that database; the listener of `server` decides what happens to a connection. */
export async function startTcpProxy(databaseUrl: string): Promise<TcpProxy> {
  const behind = new URL(databaseUrl);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const front = new URL(databaseUrl);
  front.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    server,
    url: front.toString(),
    connectToDatabase: () => connect(Number(behind.port || 5432), behind.hostname),
  };
}

/**
 * Destroys each end of a proxied connection when the other one closes, and keeps both in the set while they are open.
 */
export function destroyTogether(sockets: Set<Socket>, client: Socket, database: Socket): void {
  for (const [socket, other] of [
    [client, database],
    [database, client],
  ] as const) {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
}
