import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { endOnce } from './cleanup';

/** Where the answer to the first connection is cut. */
export type CutPoint =
  'before the head' | 'in the head' | 'after the first event' | 'after the last event' | 'in the body';

/** How many bytes of an answer pass before the cut; undefined until that is certain. */
const PASSED: Record<CutPoint, (answer: string) => number | undefined> = {
  'before the head': () => 0,
  'in the head': (answer) => (answer.length >= 20 ? 20 : undefined),
  'after the first event': (answer) => after(answer, '\n\n', after(answer, '\r\n\r\n')),
  'after the last event': (answer) => after(answer, '\n\n', after(answer, 'event: eval\n')),
  'in the body': (answer) => (answer.length < 20 ? undefined : plus(after(answer, '\r\n\r\n'), 10)),
};

/**
 * A proxy in front of a service that cuts the first connection at that point, and lets every other through. Gives its
 * address.
 */
export async function startCuttingProxy(serviceUrl: string, point: CutPoint): Promise<string> {
  const behind = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const service = connect(Number(behind.port), behind.hostname);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    client.pipe(service);
    if (isCut) {
      service.pipe(client);
      return;
    }
    isCut = true;
    let [answer, sent] = ['', 0];
    service.on('data', (data) => {
      // One character a byte, so that lengths are those of the wire.
      answer += data.toString('latin1');
      const end = PASSED[point](answer);
      const bytes = Buffer.from(answer.slice(sent, end), 'latin1');
      sent += bytes.length;
      if (end === undefined) client.write(bytes);
      else client.end(bytes, () => client.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endOnce(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function after(text: string, part: string, from: number | undefined = 0): number | undefined {
  const at = text.indexOf(part, from);
  return at < 0 ? undefined : at + part.length;
}

function plus(length: number | undefined, more: number): number | undefined {
  return length === undefined ? undefined : length + more;
}
