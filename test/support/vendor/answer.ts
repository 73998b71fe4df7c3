import { anthropicError } from './anthropic.errors';
import type { VendorError } from './error-table';
import type { Exchange } from './exchange';
import { isStreamed, play, wireOf } from './faults';
import { openaiError } from './openai.errors';
import { objectionTo } from './strictness';
import { errorsOf, isStatusFault } from './vendor.errors';
import type { Fault } from './vendor.script';
import type { VendorCall, VendorName } from './wire';

/** Plays the vendor for one call. */
export async function answer(call: VendorCall, attempt: number, exchange: Exchange): Promise<void> {
  const { script } = call;
  await exchange.pause(script.delayMs);
  const fault = script.fault !== undefined && attempt <= script.failFirst ? script.fault : undefined;
  const error = refusal(call, fault);
  if (error !== undefined) return refuse(error, exchange, script.retryAfter);
  if (fault !== undefined && !isStatusFault(fault)) return play(fault, call, exchange);
  await (isStreamed(call) ? stream(call, exchange) : sendWhole(call, exchange));
}

/** Answers a request that no vendor could read. */
export function refuseRequest(vendor: VendorName, message: string, exchange: Exchange): void {
  const type = 'invalid_request_error';
  refuse(vendor === 'anthropic' ? anthropicError(400, type, message) : openaiError(400, { message, type }), exchange);
}

// A script that wants a refusal gets that one; otherwise the vendor looks at the request.
function refusal(call: VendorCall, fault: Fault | undefined): VendorError | undefined {
  return fault !== undefined && isStatusFault(fault) ? errorsOf(call)[fault] : objectionTo(call);
}

function refuse({ status, body }: VendorError, exchange: Exchange, retryAfter?: string): void {
  exchange.send(
    status,
    'application/json',
    JSON.stringify(body),
    retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  );
}

async function stream(call: VendorCall, exchange: Exchange): Promise<void> {
  const frames = wireOf(call).frames(call);
  exchange.open(true);
  await exchange.write(frames.opening.join(''));
  for (const piece of frames.text) {
    await exchange.pause(call.script.chunkDelayMs);
    await exchange.write(piece);
  }
  exchange.end(frames.closing.join(''));
}

async function sendWhole(call: VendorCall, exchange: Exchange): Promise<void> {
  const { text } = wireOf(call).frames(call);
  await exchange.pause(call.script.chunkDelayMs * text.length);
  exchange.send(200, 'application/json', JSON.stringify(wireOf(call).whole(call)));
}
