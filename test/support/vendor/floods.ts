import { gzipSync } from 'node:zlib';
import type { Exchange } from './exchange';
import type { Flood } from './vendor.script';
import type { Frames } from './wire';

const KIB = 1024;
const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_BODY = { 'content-type': 'application/json' };
const FILLING = 'x'.repeat(64 * KIB);

/** The event that is repeated after the beginning of an answer. */
const REPEATED: Record<Exclude<Flood, 'flood-compressed'>, (frames: Frames) => string> = {
  'flood-text': ({ text }) => text.join(''),
  'flood-empty-events': ({ opening }) => opening.join('').repeat(100),
  'flood-comments': () => `: ${FILLING}\n\n`,
  'flood-line': () => FILLING,
  'flood-whole': () => FILLING,
  'flood-refusal': () => FILLING,
};

/** Sends without end, until the client has had enough. */
export async function flood(kind: Flood, frames: Frames, exchange: Exchange): Promise<void> {
  if (kind === 'flood-compressed') return bomb(exchange);
  exchange.begin(
    kind === 'flood-refusal' ? 503 : 200,
    kind === 'flood-whole' || kind === 'flood-refusal' ? JSON_BODY : EVENTS,
  );
  if (kind === 'flood-whole' || kind === 'flood-refusal') await exchange.write('{"id":"');
  else await exchange.write(frames.opening.join('') + (kind === 'flood-line' ? 'data: {"id":"' : ''));
  for (;;) await exchange.write(REPEATED[kind](frames));
}

/** Some 30 kB that become 32 MiB of comments. */
async function bomb(exchange: Exchange): Promise<never> {
  exchange.begin(200, { ...EVENTS, 'content-encoding': 'gzip' });
  await exchange.write(gzipSync(`: ${FILLING}\n\n`.repeat(512)));
  return exchange.hold();
}
