import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { AnthropicProvider } from '../src/providers/anthropic/anthropic.provider';
import { OpenAiProvider } from '../src/providers/openai/openai.provider';
import type { CompletionRequest, Provider } from '../src/providers/provider';
import { HttpTransport } from '../src/providers/transport/http-transport';
import { startVendor, stopAll } from './processes';
import { say } from './settings';
import { median } from './statistics';
import { YardstickVendors } from './yardstick.vendors';

const RUNS = 60;
const CALLS = 150;
const CONCURRENT_CALLS = 16;
const WARM_UP_CALLS = 1500;

const REQUEST: CompletionRequest = {
  model: 'm', prompt: 'Say good morning in French, please, and say why.', maxTokens: 500, temperature: 0.7, dialect: { maxTokensField: 'max_tokens', apiVersion: '2023-06-01' },
};

type Call = () => Promise<unknown>;

/** Each way to make the same call of 40 texts. */
function ways(vendorUrl: string): Record<string, Call> {
  const { fetch } = new HttpTransport();
  const options = { apiKey: 'k', maxRetries: 0, timeout: 60_000, logLevel: 'off' as const, fetch };
  const yardstick = new YardstickVendors(vendorUrl);
  const through = (provider: Provider) => () => provider.complete(REQUEST, new AbortController().signal, () => undefined);
  return {
    'openai SDK with our fetch': through(new OpenAiProvider('openai', new OpenAI({ ...options, baseURL: `${vendorUrl}/openai/v1` }))),
    'chat completions by undici alone': () => yardstick.call('gpt-4.1-mini', REQUEST.prompt, 500, 0.7),
    'Anthropic SDK with our fetch': through(new AnthropicProvider(new Anthropic({ ...options, baseURL: `${vendorUrl}/anthropic`, openTelemetry: false }))),
    'messages by undici alone': () => yardstick.call('claude-haiku-4-5', REQUEST.prompt, 500, 0.7),
  };
}

async function repeat(call: Call, times: number): Promise<void> {
  let left = times;
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, async () => {
    for (; left > 0; left -= 1) await call();
  }));
}

/** Prints the processor time of one call to a vendor, of this process with all its threads; the ways take turns, so that whatever else the machine does falls on all of them. */
async function main(): Promise<void> {
  const { url } = await startVendor();
  const calls = Object.entries(ways(url));
  const microseconds = new Map(calls.map(([name]) => [name, [] as number[]]));
  for (const [, call] of calls) await repeat(call, WARM_UP_CALLS);
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, call] of calls) {
      const before = process.cpuUsage();
      await repeat(call, CALLS);
      const { user, system } = process.cpuUsage(before);
      microseconds.get(name)?.push((user + system) / CALLS);
    }
  }
  for (const [name, times] of microseconds) say(`${name.padEnd(34)} p50 ${median(times).toFixed(0)} µs, least ${Math.min(...times).toFixed(0)} µs`);
  await stopAll();
  process.exit();
}

void main();
