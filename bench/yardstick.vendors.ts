import { StringDecoder } from 'node:string_decoder';
import { Agent, type Dispatcher } from 'undici';
import catalog from '../src/models/catalog.json';
import type { StoredResult } from './yardstick.store';

/** Where each vendor takes calls, below the vendor server. */
const PATHS: Record<string, string> = {
  openai: '/openai/v1/chat/completions', anthropic: '/anthropic/v1/messages', gemini: '/gemini/chat/completions', mistral: '/mistral/v1/chat/completions',
};

const KNOWN = catalog.filter(({ vendor }) => vendor in PATHS).map(({ id, name, provider, vendor, prices }) => ({
  id, name, provider, path: PATHS[vendor] ?? '', isChat: vendor !== 'anthropic',
  /** USD per million tokens. */
  input: Number(prices[0]?.input), output: Number(prices[0]?.output),
}));

const TARGETS = new Map(KNOWN.map((target) => [target.id, target]));

/** The answer of `GET /models`, written once: as many models as the service has under the same vendors. */
export const MODEL_LIST = JSON.stringify({ models: KNOWN.map(({ id, name, provider, input, output }) => ({ id, name, provider, input_per_1m: input, output_per_1m: output })) });

interface ChatEvent {
  choices: { delta: { content?: string } }[];
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

interface MessageEvent {
  type: string;
  delta?: { text?: string };
  message?: { usage: { input_tokens: number } };
  usage?: { output_tokens: number };
}

/** One streamed answer of either protocol, read as it comes. */
class Answer implements Dispatcher.DispatchHandler {
  text = '';
  inputTokens = 0;
  outputTokens = 0;
  private readonly decoder = new StringDecoder('utf8');
  private chunks: Buffer[] = [];
  private rest = '';
  private readonly settled = Promise.withResolvers<this>();

  constructor(private readonly isChat: boolean) {}

  get whole(): Promise<this> {
    return this.settled.promise;
  }

  onRequestStart(): void {
    // It is never aborted.
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status !== 200) controller.abort(new Error(`The vendor answered ${status}.`));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Each event is a chunk; chunks that arrive together are read together.
    if (this.chunks.push(chunk) === 1) queueMicrotask(() => this.read());
  }

  onResponseEnd(): void {
    this.read();
    this.settled.resolve(this);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settled.reject(error);
  }

  private read(): void {
    const text = this.rest + this.decoder.write(Buffer.concat(this.chunks));
    this.chunks = [];
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      if (text.startsWith('data: {', begin)) this.take(text.slice(begin + 6, end));
      begin = end + 1;
    }
    this.rest = text.slice(begin);
  }

  private take(event: string): void {
    if (this.isChat) this.takeChat(JSON.parse(event) as ChatEvent);
    else this.takeMessage(JSON.parse(event) as MessageEvent);
  }

  private takeChat({ choices, usage }: ChatEvent): void {
    this.text += choices[0]?.delta.content ?? '';
    if (!usage) return;
    this.inputTokens = usage.prompt_tokens;
    this.outputTokens = usage.completion_tokens;
  }

  private takeMessage({ type, delta, message, usage }: MessageEvent): void {
    if (type === 'content_block_delta') this.text += delta?.text ?? '';
    else if (type === 'message_start') this.inputTokens = message?.usage.input_tokens ?? 0;
    else if (type === 'message_delta') this.outputTokens = usage?.output_tokens ?? 0;
  }
}

/** Calls the vendors with undici's dispatcher and nothing around it. */
export class YardstickVendors {
  private readonly agent = new Agent({ allowH2: false, headersTimeout: 0, bodyTimeout: 0 });

  constructor(private readonly origin: string) {}

  async call(model: string, prompt: string, maxTokens: number, temperature: number): Promise<StoredResult> {
    const target = TARGETS.get(model);
    if (target === undefined) throw new Error(`No such model: ${model}`);
    const begun = performance.now();
    const answer = new Answer(target.isChat);
    this.agent.dispatch({
      origin: this.origin,
      path: target.path,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], stream: true, max_tokens: maxTokens, temperature }),
    }, answer);
    const { text, inputTokens, outputTokens } = await answer.whole;
    return {
      model, provider: target.provider, output: text, latencyMs: Math.round(performance.now() - begun),
      cost: (inputTokens * target.input + outputTokens * target.output) / 1_000_000, inputTokens, outputTokens,
    };
  }
}
