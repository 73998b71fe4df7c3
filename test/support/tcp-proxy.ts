import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A server that connections to a database go to instead. */
export interface DatabaseFront {
  server: Server;
  /** The address of the database through the server. */
  url: string;
  /** A new connection to the database itself. */
  connectBehind: () => Socket;
}

/** Stands in front of that database; what becomes of a connection is for the listener of `server` to say. */
export async function inFrontOf(databaseUrl: string): Promise<DatabaseFront> {
  const behind = new URL(databaseUrl);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const front = new URL(databaseUrl);
  front.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url: front.toString(), connectBehind: () => connect(Number(behind.port || 5432), behind.hostname) };
}

/** Lets both ends of a connection that leads through a front end together, and keeps them in the set while they last. */
export function endTogether(sockets: Set<Socket>, client: Socket, database: Socket): void {
  for (const [socket, other] of [[client, database], [database, client]] as const) {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
}
