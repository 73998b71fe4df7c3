import { Pool } from 'undici';
import catalog from '../src/models/catalog.json';
import type { StoredResult } from './yardstick.store';

interface Target {
  provider: string;
  path: string;
  /** USD per million tokens. */
  input: number;
  output: number;
}

const TARGETS: Record<string, Target> = {
  'gpt-4.1-mini': { provider: 'OpenAI', path: '/openai/v1/chat/completions', input: 0.4, output: 1.6 },
  'claude-haiku-4-5': { provider: 'Anthropic', path: '/anthropic/v1/messages', input: 1, output: 5 },
  'gemini-3.5-flash-lite': { provider: 'Google', path: '/gemini/chat/completions', input: 0.3, output: 2.5 },
  'mistral-small-2603': { provider: 'Mistral', path: '/mistral/v1/chat/completions', input: 0.15, output: 0.6 },
};

/** The models as `GET /models` prints them: as many as the service has under the same vendors. */
export const MODEL_RECORDS = catalog
  .filter(({ provider }) => Object.values(TARGETS).some((target) => target.provider === provider))
  .map(({ id, name, provider, prices }) => ({ id, name, provider, input_per_1m: Number(prices[0]?.input), output_per_1m: Number(prices[0]?.output) }));

/** What a vendor streamed, whole. */
interface Answer {
  text: string;
  inputTokens: number;
  outputTokens: number;
}

interface ChatEvent {
  choices: { delta: { content?: string } }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

interface MessageEvent {
  type: string;
  delta?: { text?: string };
  message?: { usage: { input_tokens: number } };
  usage?: { output_tokens: number };
}

function takeChat(answer: Answer, { choices, usage }: ChatEvent): void {
  answer.text += choices[0]?.delta.content ?? '';
  if (usage === undefined) return;
  answer.inputTokens = usage.prompt_tokens;
  answer.outputTokens = usage.completion_tokens;
}

function takeMessage(answer: Answer, { type, delta, message, usage }: MessageEvent): void {
  if (type === 'content_block_delta') answer.text += delta?.text ?? '';
  else if (type === 'message_start') answer.inputTokens = message?.usage.input_tokens ?? 0;
  else if (type === 'message_delta') answer.outputTokens = usage?.output_tokens ?? 0;
}

/** Reads server-sent events as they come, of either protocol. */
async function read(pieces: AsyncIterable<string>, isChat: boolean): Promise<Answer> {
  const answer = { text: '', inputTokens: 0, outputTokens: 0 };
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      if (isChat) takeChat(answer, JSON.parse(line.slice(6)) as ChatEvent);
      else takeMessage(answer, JSON.parse(line.slice(6)) as MessageEvent);
    }
  }
  return answer;
}

/** Calls the vendors with undici and nothing around it. */
export class YardstickVendors {
  private readonly pool: Pool;

  constructor(url: string) {
    this.pool = new Pool(url, { connections: 512 });
  }

  async call(model: string, prompt: string, maxTokens: number, temperature: number): Promise<StoredResult> {
    const target = TARGETS[model];
    if (target === undefined) throw new Error(`No such model: ${model}`);
    const begun = performance.now();
    const { statusCode, body } = await this.pool.request({
      method: 'POST',
      path: target.path,
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], stream: true, max_tokens: maxTokens, temperature }),
    });
    if (statusCode !== 200) throw new Error(`The vendor answered ${statusCode}.`);
    body.setEncoding('utf8');
    const answer = await read(body as AsyncIterable<string>, target.provider !== 'Anthropic');
    return {
      model,
      provider: target.provider,
      output: answer.text,
      latencyMs: Math.round(performance.now() - begun),
      cost: (answer.inputTokens * target.input + answer.outputTokens * target.output) / 1_000_000,
      inputTokens: answer.inputTokens,
      outputTokens: answer.outputTokens,
    };
  }
}
