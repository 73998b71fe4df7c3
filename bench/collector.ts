import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Takes spans by OTLP as JSON and counts them; does nothing else with them, so that the machine is left to what is measured.
let spans = 0;

const server = createServer((request, response) => {
  request.on('data', (data: Buffer) => {
    for (let at = data.indexOf('"spanId"'); at >= 0; at = data.indexOf('"spanId"', at + 1)) spans += 1;
  });
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});

process.on('message', () => process.send?.({ spans }));
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
