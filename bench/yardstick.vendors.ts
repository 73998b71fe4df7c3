import { StringDecoder } from 'node:string_decoder';
import { Agent } from 'undici';
import catalog from '../src/modules/models/catalog.json';
import { send } from './send';

/** Where each vendor takes calls, below the vendor server. */
const PATHS: Record<string, string> = {
  openai: '/openai/v1/chat/completions',
  anthropic: '/anthropic/v1/messages',
  gemini: '/gemini/chat/completions',
  mistral: '/mistral/v1/chat/completions',
};
const KNOWN = catalog
  .filter(({ vendor }) => vendor in PATHS)
  .map(({ id, name, provider, vendor, prices }) => ({
    id,
    name,
    provider,
    path: PATHS[vendor] ?? '',
    /** USD per million tokens. */
    input: Number(prices[0]?.input),
    output: Number(prices[0]?.output),
  }));
const TARGETS = new Map(KNOWN.map((target) => [target.id, target]));

/** The answer of `GET /models`: as many models as the service has under the same vendors. */
export const MODEL_LIST = JSON.stringify({
  models: KNOWN.map(({ id, name, provider, input, output }) => ({
    id,
    name,
    provider,
    input_per_1m: input,
    output_per_1m: output,
  })),
});

/** The answer of one model. */
export interface StoredResult {
  model: string;
  provider: string;
  output: string;
  latency_ms: number;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** The members that the events and the whole answers of both protocols have. */
interface VendorAnswer {
  choices?: { delta?: { content?: string }; message?: { content: string } }[];
  content?: { text: string }[];
  delta?: { text?: string };
  message?: { usage: { input_tokens: number } };
  usage?: { prompt_tokens?: number; completion_tokens?: number; input_tokens?: number; output_tokens?: number } | null;
}

const textOfEvent = ({ choices, delta }: VendorAnswer) => choices?.[0]?.delta?.content ?? delta?.text ?? '';
const textOfWhole = ({ choices, content }: VendorAnswer) => choices?.[0]?.message?.content ?? content?.[0]?.text ?? '';
const inputTokensOf = ({ usage, message }: VendorAnswer) =>
  usage?.prompt_tokens ?? usage?.input_tokens ?? message?.usage.input_tokens;
const outputTokensOf = ({ usage }: VendorAnswer) => usage?.completion_tokens ?? usage?.output_tokens;

const agent = new Agent({ allowH2: false, headersTimeout: 0, bodyTimeout: 0 });

/**
 * Calls a vendor with undici's dispatcher and nothing around it. With `onText` it asks for a stream, otherwise for a
 * whole answer.
 */
export async function callVendor(
  origin: string,
  model: string,
  prompt: string,
  options: { max_tokens: number; temperature: number },
  onText?: (text: string) => void,
): Promise<StoredResult> {
  const target = TARGETS.get(model);
  if (target === undefined) throw new Error(`No such model: ${model}`);
  const begun = performance.now();
  const [decoder, counts] = [new StringDecoder('utf8'), { input_tokens: 0, output_tokens: 0 }];
  let [rest, output] = ['', ''];
  const read = (json: string, textOf: typeof textOfEvent) => {
    const answer = JSON.parse(json) as VendorAnswer;
    counts.input_tokens = inputTokensOf(answer) ?? counts.input_tokens;
    counts.output_tokens = outputTokensOf(answer) ?? counts.output_tokens;
    const text = textOf(answer);
    output += text;
    if (text !== '') onText?.(text);
  };
  const body = JSON.stringify({
    model,
    messages: [{ role: 'user', content: prompt }],
    ...(onText !== undefined && { stream: true }),
    ...options,
  });
  const status = await send(
    agent,
    {
      origin,
      path: target.path,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body,
    },
    (chunk) => {
      rest += decoder.write(chunk);
      if (onText === undefined) return;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: {')) read(line.slice('data: '.length), textOfEvent);
    },
  );
  if (status !== 200) throw new Error(`The vendor answered ${status}.`);
  if (onText === undefined) read(rest, textOfWhole);
  const cost = (counts.input_tokens * target.input + counts.output_tokens * target.output) / 1_000_000;
  return {
    model,
    provider: target.provider,
    output,
    latency_ms: Math.round(performance.now() - begun),
    cost_usd: cost,
    ...counts,
    total_tokens: counts.input_tokens + counts.output_tokens,
  };
}
