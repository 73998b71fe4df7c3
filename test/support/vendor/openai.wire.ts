import { DIALECTS, type ChatDialect } from './chat.dialects';
import { streamErrorOf } from './vendor.errors';
import { asObject, type Finish, type Script } from './vendor.script';
import {
  CREATED,
  frame,
  piecesOf,
  type ChatVendor,
  type Frames,
  type JsonObject,
  type VendorCall,
  type Wire,
} from './wire';

const REASONING = 'The user wants an answer.';
const REFUSAL = "I can't help with that.";

// Gemini and others have no documented word for a refusal; all use OpenAI's.
const FINISH: Record<Finish, string> = {
  stop: 'stop',
  length: 'length',
  refusal: 'content_filter',
  'refusal-message': 'stop',
};

/** Chat completions, in the form of OpenAI and compatible vendors. */
export const chatWire: Wire = { frames, whole, emptyFrames, emptyWhole, errorFrame, brokenFrame };

function dialectOf(call: VendorCall): ChatDialect {
  return DIALECTS[call.vendor as ChatVendor];
}

function frames(call: VendorCall): Frames {
  const dialect = dialectOf(call);
  const deltas = piecesOf(call.script).map((content): JsonObject => ({ content }));
  if (call.script.finish === 'refusal-message') deltas.push({ refusal: REFUSAL });
  const last = dialect.finishWithText ? (deltas.pop() ?? { content: '' }) : undefined;
  const ending = finishFrame(call, last ?? lastDelta(call));
  return {
    opening: [...dialect.comments, ...roleFrames(call), ...reasoningFrames(call)],
    text: [...deltas.map((delta) => deltaFrame(call, delta)), ...(last === undefined ? [] : [ending])],
    closing: [...(last === undefined ? [ending] : []), ...usageFrames(call), frame('[DONE]')],
  };
}

function roleFrames(call: VendorCall): string[] {
  const refusal = call.vendor === 'openai' ? { refusal: null } : {};
  return dialectOf(call).roleFirst ? [deltaFrame(call, { role: 'assistant', content: '', ...refusal })] : [];
}

function reasoningFrames(call: VendorCall): string[] {
  const shown = shownReasoning(call);
  return shown === undefined ? [] : [deltaFrame(call, shown)];
}

function shownReasoning(call: VendorCall): JsonObject | undefined {
  return call.script.reasoningTokens > 0 ? dialectOf(call).reasoning(REASONING) : undefined;
}

function lastDelta(call: VendorCall): JsonObject {
  return call.vendor === 'openai' || call.vendor === 'groq' ? {} : { content: '' };
}

function deltaFrame(call: VendorCall, delta: JsonObject): string {
  return chunk(call, { choices: [choice(call, delta)], ...usageOf(call, ['every-chunk']) });
}

function finishFrame(call: VendorCall, delta: JsonObject): string {
  const finish = FINISH[call.script.finish];
  const native = call.vendor === 'openrouter' ? { native_finish_reason: finish } : {};
  const ended = { ...choice(call, delta), finish_reason: finish, ...native };
  return chunk(call, { choices: [ended], ...usageOf(call, ['finish-chunk', 'every-chunk']), ...groqTail(call) });
}

function usageFrames(call: VendorCall): string[] {
  const usage = usageOf(call, ['own-chunk']);
  return usage === undefined ? [] : [chunk(call, { choices: [], ...usage, ...groqTail(call) })];
}

function choice(call: VendorCall, delta: JsonObject): JsonObject {
  const dialect = dialectOf(call);
  const role = dialect.roleAlways ? { role: 'assistant' } : {};
  return { index: 0, delta: { ...role, ...delta }, logprobs: null, ...(dialect.nullFinish && { finish_reason: null }) };
}

function chunk(call: VendorCall, members: JsonObject): string {
  const dialect = dialectOf(call);
  const options = asObject(call.body['stream_options']);
  return frame({
    id: dialect.id,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: call.script.answersAs ?? call.model,
    ...dialect.extra,
    ...(dialect.nullUsage(wantsUsage(call)) && { usage: null }),
    ...members,
    ...(call.vendor === 'openai' && options?.['include_obfuscation'] !== false && { obfuscation: 'x7Qa' }),
  });
}

function wantsUsage(call: VendorCall): boolean {
  return asObject(call.body['stream_options'])?.['include_usage'] === true;
}

// The usage member, if this vendor has it at one of these positions of a stream.
function usageOf(call: VendorCall, positions: readonly string[]): { usage: JsonObject } | undefined {
  const dialect = dialectOf(call);
  const here = dialect.usagePositions(wantsUsage(call)).some((position) => positions.includes(position));
  return here ? counted(dialect, call.script) : undefined;
}

function counted(dialect: ChatDialect, script: Script): { usage: JsonObject } | undefined {
  return script.usage === 'none' ? undefined : { usage: dialect.usage(script) };
}

function groqTail(call: VendorCall): JsonObject {
  return call.vendor === 'groq'
    ? { x_groq: { id: 'req_01jt0xby4ffanamrs6m40mv0fy', ...usageOf(call, ['x_groq']) } }
    : {};
}

function whole(call: VendorCall): JsonObject {
  const dialect = dialectOf(call);
  const { script } = call;
  const finish = FINISH[script.finish];
  const native = call.vendor === 'openrouter' ? { native_finish_reason: finish } : {};
  return {
    ...envelope(call, dialect),
    choices: [{ index: 0, message: message(call), logprobs: null, finish_reason: finish, ...native }],
    ...counted(dialect, script),
    ...(call.vendor === 'groq' && { usage_breakdown: null, x_groq: { id: 'req_01jt0xby4ffanamrs6m40mv0fy', seed: 1 } }),
  };
}

function envelope(call: VendorCall, dialect: ChatDialect): JsonObject {
  return {
    id: dialect.id,
    object: 'chat.completion',
    created: CREATED,
    model: call.script.answersAs ?? call.model,
    ...dialect.extra,
  };
}

function message(call: VendorCall): JsonObject {
  const { text, finish } = call.script;
  const shown = shownReasoning(call) ?? {};
  // Mistral's reasoning is a part of the content, which then is a list.
  const thoughts: unknown = shown['content'];
  const content = Array.isArray(thoughts) ? [...(thoughts as unknown[]), { type: 'text', text }] : text;
  const refused = finish === 'refusal-message';
  const refusal = call.vendor === 'openai' || refused ? { refusal: refused ? REFUSAL : null } : {};
  return { role: 'assistant', ...shown, content: refused ? null : content, ...refusal };
}

function emptyFrames(call: VendorCall): string[] {
  return [chunk(call, { choices: [], ...counted(dialectOf(call), call.script) }), frame('[DONE]')];
}

function emptyWhole(call: VendorCall): JsonObject {
  return { ...envelope(call, dialectOf(call)), choices: [], ...counted(dialectOf(call), call.script) };
}

function errorFrame(call: VendorCall): string {
  // Groq sends it beside an ordinary chunk, OpenRouter in the chunk that also finishes.
  if (call.vendor === 'groq')
    return chunk(call, {
      choices: [choice(call, {})],
      x_groq: { id: 'req_01jt0xby4ffanamrs6m40mv0fy', error: 'over_capacity' },
    });
  const error = streamErrorOf(call);
  if (call.vendor === 'openrouter')
    return chunk(call, { ...error, choices: [{ ...choice(call, { content: '' }), finish_reason: 'error' }] });
  return frame(error);
}

function brokenFrame(call: VendorCall): string {
  return frame(
    `{"id":"${dialectOf(call).id}","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"bro`,
  );
}
