import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockAgent } from 'undici';
import { costOf } from '../../../src/modules/billing/pricing';
import { priceAt, type Model } from '../../../src/modules/models/catalog';
import { loadCatalog } from '../../../src/modules/models/load-catalog';
import { AnthropicProvider } from '../../../src/modules/providers/anthropic/anthropic.provider';
import type { ChatVendorName } from '../../../src/modules/providers/chat-vendors';
import { OpenAiProvider } from '../../../src/modules/providers/openai/openai.provider';
import type { Completion, Provider, TokenUsage, Vendor } from '../../../src/modules/providers/provider';
import { ProviderError } from '../../../src/modules/providers/provider.error';
import { HttpTransport } from '../../../src/modules/providers/transport/http-transport';
import { ACCOUNTING } from './accounting.cases';
import { ANSWERS, FAILURES, PARIS, type Counts } from './fixtures.cases';

const FOLDER = join(__dirname, '../../fixtures');
const KEY = 'sk-MARKER-0123456789abcdef';
const NOON = new Date('2026-11-24T12:00:00Z');
const MODELS = new Map(
  loadCatalog({ MODEL_CATALOG_FILE: undefined, LOCAL_MODELS: ['own'] }).map((model) => [model.id, model]),
);

/** Keys, addresses, hosts and the ids of accounts, keys and requests. */
const PRIVATE =
  /MARKER|\bsk-|\bxai-|gsk_|\*{3}|https?:|www\.|\.(?:com|ai|org|io)\b|\borg[-_]\w|\breq_|\buser_\w|[0-9a-f]{4}-[0-9a-f]{4}-/i;

const CONTENT_TYPES: Record<string, string> = {
  json: 'application/json',
  txt: 'text/event-stream; charset=utf-8',
  html: 'text/html',
};

/** The bytes that the vendor sends. */
interface Wire {
  body: string;
  type: string;
  status?: number;
  retryAfter?: string | undefined;
}

function recorded(fixture: string): { vendor: Vendor; body: string; type: string } {
  const [vendor, extension] = [fixture.split('/')[0], fixture.split('.').at(-1)];
  return {
    vendor: vendor as Vendor,
    body: readFileSync(join(FOLDER, fixture), 'utf8'),
    type: CONTENT_TYPES[extension ?? ''] ?? '',
  };
}

/** The real strategy, with a wire that always brings the same. */
function provider(vendor: Vendor, { body, type, status = 200, retryAfter }: Wire): Provider {
  const headers = { 'content-type': type, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) };
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent
    .get('http://vendor.invalid')
    .intercept({ method: 'POST', path: () => true })
    .reply(status, body, { headers });
  const [transport, access] = [new HttpTransport(agent), { apiKey: KEY, baseUrl: 'http://vendor.invalid/v1' }];
  return vendor === 'anthropic'
    ? new AnthropicProvider(transport, access)
    : new OpenAiProvider(vendor as ChatVendorName, transport, access);
}

function modelOf(id: string): Model {
  const model = MODELS.get(id);
  if (model === undefined) throw new Error(`${id} is not in the catalog.`);
  return model;
}

/** Asks until the answer is whole: its pieces and the whole. */
async function ask(
  asked: Provider,
  dialect: Model['dialect'] = { maxTokensField: 'max_tokens' },
): Promise<{ pieces: string[]; answer: Completion }> {
  const pieces: string[] = [];
  const request = {
    model: 'any',
    prompt: 'Which city?',
    maxTokens: 500,
    temperature: undefined,
    isStreamed: true,
    dialect,
  };
  const answer = await asked.complete(request, new AbortController().signal, (text) => pieces.push(text));
  return { pieces, answer };
}

function usageOf(counts: Counts | undefined): TokenUsage | undefined {
  if (counts === undefined) return undefined;
  const [inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens] = counts;
  return { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}

/** The service's charge for that usage at that noon. */
function bookedCost(id: string, usage: TokenUsage | undefined): string | undefined {
  const price = priceAt(modelOf(id), NOON);
  if (price === undefined) throw new Error(`${id} has no price.`);
  return usage && costOf(usage, price).cost.toString();
}

describe('A recorded answer', () => {
  test.each(ANSWERS)(
    'is read and priced to the last digit: $fixture',
    async ({ fixture, model, text = PARIS, finish = 'stop', counts, cost, stated }) => {
      const { vendor, ...wire } = recorded(fixture);
      expect(modelOf(model).vendor).toBe(vendor);
      const { pieces, answer } = await ask(provider(vendor, wire), modelOf(model).dialect);
      expect(answer).toMatchObject({ text, finishReason: finish });
      expect(pieces.join('')).toBe(text);
      expect(answer.usage).toEqual(usageOf(counts));
      expect(bookedCost(model, answer.usage)).toBe(cost);
      expect(answer.reportedCostUsd?.replace(/0+$/, '')).toBe(stated);
    },
  );
});

describe('A recorded failure', () => {
  test.each(FAILURES)(
    'maps $fixture with status $status to $code',
    async ({ fixture, status, code, retryable, retryAfter, says }) => {
      const { vendor, ...wire } = recorded(fixture);
      const { body } = wire;
      const failure: unknown = await ask(provider(vendor, { ...wire, status, retryAfter })).catch(
        (error: unknown) => error,
      );
      expect(failure).toBeInstanceOf(ProviderError);
      const { message } = failure as ProviderError;
      expect(failure).toMatchObject({
        code,
        retryable,
        afterFirstByte: status === 200 && !isErrorBody(body),
        retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter) * 1000,
      });
      expect(message).toContain(says ?? '');
      expect(message.includes('It says:')).toBe(says !== undefined);
      expect(message).not.toMatch(PRIVATE);
      expect(message).not.toContain('words of the prompt');
    },
  );
});

/** True for a body that holds an error and no answer. */
function isErrorBody(body: string): boolean {
  return body.startsWith('{') && !('choices' in JSON.parse(body)) && !('content' in JSON.parse(body));
}

type Event = Record<string, unknown>;

/** An answer with these counts: in one piece, and as a stream. */
function answersWith(vendor: Vendor, usage: object | null): Wire[] {
  const [whole, events] = vendor === 'anthropic' ? messagesWith(usage) : chatsWith(usage);
  return [
    { body: JSON.stringify(whole), type: 'application/json' },
    { body: events.map(written).join(''), type: 'text/event-stream' },
  ];
}

function written(event: Event): string {
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

function chatsWith(usage: object | null): [Event, Event[]] {
  const choice = (more: object, finish: string | null) => ({ index: 0, ...more, finish_reason: finish });
  return [
    { choices: [choice({ message: { content: PARIS } }, 'stop')], usage },
    [
      { choices: [choice({ delta: { content: PARIS } }, null)], usage: null },
      { choices: [choice({ delta: {} }, 'stop')], usage: null },
      { choices: [], usage },
    ],
  ];
}

function messagesWith(usage: object | null): [Event, Event[]] {
  return [
    { type: 'message', content: [{ type: 'text', text: PARIS }], stop_reason: 'end_turn', usage },
    [
      // The counts at the start are provisional.
      {
        type: 'message_start',
        message: { type: 'message', content: [], stop_reason: null, usage: usage && { ...usage, output_tokens: 1 } },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: PARIS } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ],
  ];
}

describe("The accounting of a vendor's counts", () => {
  test.each(ACCOUNTING)('is exact for $model, $what', async ({ model, usage, counts, cost }) => {
    const { vendor, dialect } = modelOf(model);
    for (const wire of answersWith(vendor, usage)) {
      const { answer } = await ask(provider(vendor, wire), dialect);
      expect(answer.text).toBe(PARIS);
      expect(answer.usage).toStrictEqual(usageOf(counts));
      expect(bookedCost(model, answer.usage)).toBe(cost);
    }
  });
});

describe('The recorded answers', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:json|txt|html)$/.test(file) && !file.startsWith('client-vectors'))
    .sort();

  test('are all read by this spec', () => {
    expect([...new Set([...ANSWERS, ...FAILURES].map(({ fixture }) => fixture))].sort()).toEqual(files);
  });

  test('all name their source', () => {
    const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    expect(files.filter((file) => !readme.includes(`\`${file}\``))).toEqual([]);
  });
});
