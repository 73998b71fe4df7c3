import { streamErrorOf } from './vendor.errors';
import type { Finish } from './vendor.script';
import { frame, piecesOf, type Frames, type JsonObject, type VendorCall, type Wire } from './wire';

/** The version before `temperature` left the API and `stop_details` came. */
export const OLD_VERSION = '2023-06-01';

const STOP: Record<Finish, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  refusal: 'refusal',
  'refusal-message': 'refusal',
};
const SIGNATURE = 'EqQBCkYIBxgCKkA=';

/** The Messages API, in both of its versions. */
export const messagesWire: Wire = { frames, whole, emptyFrames, emptyWhole, errorFrame, brokenFrame };

function isOld(call: VendorCall): boolean {
  return call.headers['anthropic-version'] === OLD_VERSION;
}

function event(data: JsonObject & { type: string }): string {
  return frame(data, data.type);
}

function frames(call: VendorCall): Frames {
  const pieces = piecesOf(call.script);
  const thinks = call.script.reasoningTokens > 0;
  const index = thinks ? 1 : 0;
  const hasText = pieces.length > 0;
  return {
    opening: [
      started(call),
      ...(thinks ? thinkingFrames() : []),
      ...(hasText ? [textStart(call, index)] : []),
      event({ type: 'ping' }),
    ],
    text: pieces.map((text) => event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })),
    closing: [...(hasText ? [event({ type: 'content_block_stop', index })] : []), ...endFrames(call)],
  };
}

function started(call: VendorCall): string {
  const message = {
    ...envelope(call),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(!isOld(call) && { stop_details: null }),
  };
  // The output count is provisional here, as with the vendor: what counts comes at the end.
  return event({
    type: 'message_start',
    message: { ...message, ...usageMember(call, { ...usageOf(call), output_tokens: 1, ...details(call, null) }) },
  });
}

function thinkingFrames(): string[] {
  return [
    event({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } }),
    event({ type: 'content_block_stop', index: 0 }),
  ];
}

function textStart(call: VendorCall, index: number): string {
  return event({ type: 'content_block_start', index, content_block: textBlock(call, '') });
}

function textBlock(call: VendorCall, text: string): JsonObject {
  return { type: 'text', text, ...(!isOld(call) && { citations: null }) };
}

function endFrames(call: VendorCall): string[] {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens, ...rest } = usageOf(call);
  const details =
    'output_tokens_details' in rest
      ? { output_tokens_details: rest['output_tokens_details'], server_tool_use: null }
      : {};
  const usage = { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens, ...details };
  return [
    event({ type: 'message_delta', delta: stop(call), ...usageMember(call, usage) }),
    event({ type: 'message_stop' }),
  ];
}

function stop(call: VendorCall): JsonObject {
  const stopReason = STOP[call.script.finish];
  const stopDetails = stopReason === 'refusal' ? { type: 'refusal', category: 'cyber', explanation: null } : null;
  return { stop_reason: stopReason, stop_sequence: null, ...(!isOld(call) && { stop_details: stopDetails }) };
}

function envelope(call: VendorCall): JsonObject {
  return {
    id: 'msg_01AbCdEfGhIjKlMnOpQrStUv',
    type: 'message',
    role: 'assistant',
    model: call.script.answersAs ?? call.model,
  };
}

// Cached tokens are beside `input_tokens` here, thinking is inside `output_tokens`.
function usageOf(call: VendorCall): JsonObject {
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = call.script;
  return {
    input_tokens: inputTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: 'standard',
    ...(!isOld(call) && { inference_geo: 'global', speed: 'standard', server_tool_use: null }),
    ...details(call, reasoningTokens > 0 ? { thinking_tokens: reasoningTokens } : null),
  };
}

function details(call: VendorCall, thinking: JsonObject | null): JsonObject {
  return isOld(call) ? {} : { output_tokens_details: thinking };
}

function usageMember(call: VendorCall, usage: JsonObject): JsonObject {
  return call.script.usage === 'none' ? {} : { usage };
}

function whole(call: VendorCall): JsonObject {
  const { text, reasoningTokens } = call.script;
  const thinking = reasoningTokens > 0 ? [{ type: 'thinking', thinking: '', signature: SIGNATURE }] : [];
  const content = [...thinking, ...(text === '' ? [] : [textBlock(call, text)])];
  return { ...envelope(call), content, ...stop(call), ...usageMember(call, usageOf(call)) };
}

function emptyFrames(call: VendorCall): string[] {
  return [started(call), event({ type: 'ping' }), ...endFrames(call)];
}

function emptyWhole(call: VendorCall): JsonObject {
  return { ...whole(call), content: [] };
}

function errorFrame(call: VendorCall): string {
  return frame(streamErrorOf(call), 'error');
}

function brokenFrame(): string {
  return frame(
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"bro',
    'content_block_delta',
  );
}
