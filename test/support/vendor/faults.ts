import { messagesWire } from './anthropic.wire';
import type { StatusFault } from './error-table';
import type { Exchange } from './exchange';
import { flood } from './floods';
import { chatWire } from './openai.wire';
import { errorsOf } from './vendor.errors';
import { FLOODS, type Fault, type Flood } from './vendor.script';
import type { VendorCall, Wire } from './wire';

/** A fault that is no refusal with a status. */
export type PlayedFault = Exclude<Fault, StatusFault>;

type OtherFault = Exclude<PlayedFault, Flood>;

type Play = (call: VendorCall, exchange: Exchange) => void | Promise<void>;

const DRIP_MS = 50;
const HTML =
  '<!DOCTYPE html><html><head><title>Just a moment…</title></head><body><h1>Checking your browser</h1><p>sk-MARKER4f9a2b7c</p></body></html>';

/** Fails the way the script wants. */
export async function play(fault: PlayedFault, call: VendorCall, exchange: Exchange): Promise<void> {
  if (isFlood(fault)) return flood(fault, wireOf(call).frames(call), exchange);
  await PLAYS[fault](call, exchange);
}

function isFlood(fault: PlayedFault): fault is Flood {
  return (FLOODS as readonly string[]).includes(fault);
}

/** The protocol of a vendor. */
export function wireOf(call: VendorCall): Wire {
  return call.vendor === 'anthropic' ? messagesWire : chatWire;
}

/** True if the answer is a stream: as the client asked, unless the script says otherwise. */
export function isStreamed({ body, script }: VendorCall): boolean {
  return script.form === undefined ? body['stream'] === true : script.form === 'streamed';
}

const PLAYS: Record<OtherFault, Play> = {
  hang: (_call, exchange) => exchange.hold(),
  'hang-after-headers': (call, exchange) => {
    exchange.open(isStreamed(call));
    return exchange.hold();
  },
  'stall-mid-stream': async (call, exchange) => {
    await firstHalf(call, exchange);
    return exchange.hold();
  },
  drip: (call, exchange) => drip(isStreamed(call), exchange),
  reset: (_call, exchange) => exchange.reset(),
  'half-body': async (call, exchange) => {
    await firstHalf(call, exchange);
    // A line that has begun, so that the cut lies within an event, or within the body that was announced.
    exchange.cut(isStreamed(call) ? 'data: {' : '');
  },
  'clean-cut': async (call, exchange) => {
    if (!isStreamed(call)) return exchange.send(200, 'application/json', halfBody(call));
    await firstHalf(call, exchange);
    exchange.end();
  },
  html: (_call, exchange) => exchange.send(200, 'text/html; charset=utf-8', HTML),
  'error-in-200': (call, exchange) => errorIn200(call, exchange),
  'error-mid-stream': async (call, exchange) => {
    if (!isStreamed(call)) return errorIn200(call, exchange);
    await firstHalf(call, exchange);
    exchange.end(wireOf(call).errorFrame(call));
  },
  'empty-choices': (call, exchange) => emptyAnswer(call, exchange),
  'empty-body': (call, exchange) => exchange.send(200, isStreamed(call) ? 'text/event-stream' : 'application/json', ''),
  'bad-json': (call, exchange) => badJson(call, exchange),
};

// The opening and half of the text of a stream; half the bytes of a body whose full length is announced.
async function firstHalf(call: VendorCall, exchange: Exchange): Promise<void> {
  const streamed = isStreamed(call);
  exchange.open(streamed, streamed ? undefined : Buffer.byteLength(wholeBody(call)));
  const { opening, text } = wireOf(call).frames(call);
  const half = text.slice(0, Math.floor(text.length / 2));
  await exchange.write(streamed ? [...opening, ...half].join('') : halfBody(call));
}

function wholeBody(call: VendorCall): string {
  return JSON.stringify(wireOf(call).whole(call));
}

function halfBody(call: VendorCall): string {
  const body = wholeBody(call);
  return body.slice(0, Math.floor(body.length / 2));
}

function errorIn200(call: VendorCall, exchange: Exchange): void {
  exchange.send(200, 'application/json', JSON.stringify(errorsOf(call)['server-error'].body));
}

function emptyAnswer(call: VendorCall, exchange: Exchange): void {
  const wire = wireOf(call);
  if (!isStreamed(call)) return exchange.send(200, 'application/json', JSON.stringify(wire.emptyWhole(call)));
  exchange.open(true);
  exchange.end(wire.emptyFrames(call).join(''));
}

// The rest follows, so that a client which skips what it cannot read is found out.
async function badJson(call: VendorCall, exchange: Exchange): Promise<void> {
  if (!isStreamed(call)) return exchange.send(200, 'application/json', `${halfBody(call)}]]`);
  await firstHalf(call, exchange);
  const { text, closing } = wireOf(call).frames(call);
  exchange.end([wireOf(call).brokenFrame(call), ...text.slice(Math.floor(text.length / 2)), ...closing].join(''));
}

// Signs of life that never become an answer: comments in a stream, white space before a body.
async function drip(streamed: boolean, exchange: Exchange): Promise<never> {
  exchange.open(streamed);
  const drops = streamed ? ': keep-alive\n\n' : '\n';
  for (let count = 0; ; count += 1) {
    await exchange.write(drops.charAt(count % drops.length));
    await exchange.pause(DRIP_MS);
  }
}
