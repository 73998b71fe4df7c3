import { connect, type Socket } from 'node:net';
import { endAfterTests } from './cleanup';

/** A connection of a client that does not do its part. */
export interface SlowClient {
  socket: Socket;
  /** How it ended: what came over it, in how many milliseconds from its beginning. */
  ended: Promise<{ text: string; heldMs: number }>;
}

/** Opens a connection, sends these bytes at once, and then `drip` again and again until the connection ends. */
export function slowClient(url: string, bytes: string, drip?: string): SlowClient {
  const { hostname, port } = new URL(url);
  const begun = performance.now();
  const socket = connect(Number(port), hostname);
  endAfterTests(() => socket.destroy());
  const ended = new Promise<{ text: string; heldMs: number }>((resolve) => {
    let text = '';
    const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 50);
    socket.on('data', (data) => {
      text += data.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(dripping);
      resolve({ text, heldMs: performance.now() - begun });
    });
  });
  if (bytes !== '') socket.write(bytes);
  return { socket, ended };
}
