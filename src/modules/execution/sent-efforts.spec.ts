import { EFFORTS, type Effort } from '../../common/effort';
import { readCatalog, type Model } from '../models/catalog';
import shipped from '../models/catalog.json';
import { prepareMessageRequest } from '../providers/anthropic/prepare-message-request';
import { CHAT_VENDORS, type ChatVendorName } from '../providers/chat-vendors';
import { prepareChatRequest } from '../providers/openai/prepare-chat-request';
import type { CompletionRequest } from '../providers/provider';
import { adaptParameters, type CompareSettings } from './adapt-parameters';

const CATALOG = new Map(
  readCatalog([
    ...shipped,
    {
      ...shipped.find(({ id }) => id === 'groq/gpt-oss-20b'),
      id: 'local/thinker',
      vendor: 'local',
      reasoning: { efforts: ['none', 'high'], default: null, mandatory: false },
    },
    { ...shipped.find(({ id }) => id === 'ministral-8b-2512'), id: 'local/plain', vendor: 'local' },
    { ...shipped.find(({ id }) => id === 'gpt-6-luna'), id: 'openai/plain', reasoning: undefined },
  ]).map((model) => [model.id, model]),
);
const OPTIONS: CompareSettings = {
  temperature: 0.7,
  isTemperatureGiven: false,
  maxTokens: 500,
  isMaxTokensGiven: false,
};
/** Members that every request has, or that are no matter of thought. */
const OTHERS = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
]);

function modelOf(id: string): Model {
  const model = CATALOG.get(id);
  if (model === undefined) throw new Error(`The catalog has no ${id}.`);
  return model;
}

/** The body that is sent, as the strategies write it. */
function bodyOf(
  model: Model,
  { temperature, maxTokens, reasoningTokens, reasoningEffort }: ReturnType<typeof adaptParameters>,
  isStreamed: boolean,
): Record<string, unknown> {
  const request: CompletionRequest = {
    model: model.vendorModel,
    prompt: 'Hello',
    maxTokens,
    reasoningTokens,
    reasoningEffort,
    temperature,
    isStreamed,
    dialect: model.dialect,
  };
  const body =
    model.vendor === 'anthropic'
      ? prepareMessageRequest(request)
      : prepareChatRequest(request, CHAT_VENDORS[model.vendor as ChatVendorName]);
  return { ...body };
}

/** The members about thought in the body of a call at that effort, the effort applied and the warnings. */
function sentAt(id: string, effort: Effort | undefined, options: CompareSettings = OPTIONS, isStreamed = false) {
  const model = modelOf(id);
  const applied = adaptParameters(
    { ...options, ...(effort !== undefined && { extra: { ...options.extra, reasoning_effort: effort } }) },
    model,
  );
  const body = bodyOf(model, applied, isStreamed);
  const thought = Object.fromEntries(Object.entries(body).filter(([name]) => !OTHERS.has(name)));
  return { applied: applied.reasoningEffort, thought, body, warnings: applied.warnings };
}

/** How a vendor writes an effort, by its word. */
const WORD = (effort: string) => ({ reasoning_effort: effort });
const OUTPUT = (effort: string) => ({ output_config: { effort } });
const ADAPTIVE = (effort: string) => ({ thinking: { type: 'adaptive' }, output_config: { effort } });
const BUDGET = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } });
const SWITCHED = (effort: string) => ({ thinking: { type: 'enabled' }, reasoning_effort: effort });
const WITHIN = (effort: string) => ({ reasoning: { effort } });
const OFF = { thinking: { type: 'disabled' } };
const NOTHING = {};

type Row = [id: string, sent: Record<Effort, [effort: Effort | undefined, members: object]>];
/** A row for each way of writing: what is sent for none, minimal, low, medium, high, xhigh and max. */
function row(id: string, ...sent: Sent[]): Row {
  return [id, Object.fromEntries(EFFORTS.map((effort, index) => [effort, sent[index]])) as Row[1]];
}

type Sent = [Effort | undefined, object];
const word = (effort: Effort): Sent => [effort, WORD(effort)];
const [none, low, medium, high, xhigh, max] = [
  word('none'),
  word('low'),
  word('medium'),
  word('high'),
  word('xhigh'),
  word('max'),
];
const silent: Sent = [undefined, NOTHING];

const TABLE: Row[] = [
  row('gpt-6.2-sol', low, low, low, medium, high, xhigh, max),
  row('gpt-6.1-terra', none, none, low, medium, high, xhigh, max),
  row('gpt-5.4-mini', none, none, low, medium, high, xhigh, xhigh),
  row('openai/plain', silent, silent, silent, silent, silent, silent, silent),
  row(
    'claude-opus-5-5',
    ['low', OUTPUT('low')],
    ['low', OUTPUT('low')],
    ['low', OUTPUT('low')],
    ['medium', OUTPUT('medium')],
    ['high', OUTPUT('high')],
    ['xhigh', OUTPUT('xhigh')],
    ['max', OUTPUT('max')],
  ),
  row(
    'claude-sonnet-5-5',
    ['none', { thinking: { type: 'between_tools' } }],
    ['none', { thinking: { type: 'between_tools' } }],
    ['low', OUTPUT('low')],
    ['medium', OUTPUT('medium')],
    ['high', OUTPUT('high')],
    ['xhigh', OUTPUT('xhigh')],
    ['max', OUTPUT('max')],
  ),
  row(
    'claude-haiku-5-5',
    ['none', OFF],
    ['none', OFF],
    ['low', OUTPUT('low')],
    ['medium', OUTPUT('medium')],
    ['high', OUTPUT('high')],
    ['xhigh', OUTPUT('xhigh')],
    ['max', OUTPUT('max')],
  ),
  row(
    'claude-sonnet-4-6',
    ['none', OFF],
    ['none', OFF],
    ['low', ADAPTIVE('low')],
    ['medium', ADAPTIVE('medium')],
    ['high', ADAPTIVE('high')],
    ['high', ADAPTIVE('high')],
    ['max', ADAPTIVE('max')],
  ),
  row(
    'claude-haiku-4-5',
    ['none', OFF],
    ['none', OFF],
    ['low', BUDGET(1024)],
    ['medium', BUDGET(1024)],
    ['high', BUDGET(2000)],
    ['high', BUDGET(2000)],
    ['high', BUDGET(2000)],
  ),
  row(
    'claude-fable-5-2',
    ['low', OUTPUT('low')],
    ['low', OUTPUT('low')],
    ['low', OUTPUT('low')],
    ['medium', OUTPUT('medium')],
    ['high', OUTPUT('high')],
    ['xhigh', OUTPUT('xhigh')],
    ['max', OUTPUT('max')],
  ),
  row('gemini-4-carbon', low, low, low, medium, high, high, high),
  row('gemini-4-hydrogen', low, low, low, medium, high, xhigh, xhigh),
  row('gemini-3.8-flash', low, low, low, medium, high, high, high),
  row('gemini-2.5-flash-lite', none, none, low, medium, high, high, high),
  row('mistral-large-4', none, none, none, none, high, high, high),
  row('ministral-8b-2512', silent, silent, silent, silent, silent, silent, silent),
  row(
    'deepseek-flash',
    ['none', OFF],
    ['none', OFF],
    ['low', SWITCHED('low')],
    ['low', SWITCHED('low')],
    ['high', SWITCHED('high')],
    ['high', SWITCHED('high')],
    ['max', SWITCHED('max')],
  ),
  row(
    'deepseek-v4-pro',
    ['none', OFF],
    ['none', OFF],
    ['none', OFF],
    ['none', OFF],
    ['high', SWITCHED('high')],
    ['high', SWITCHED('high')],
    ['max', SWITCHED('max')],
  ),
  row('grok-4.7', low, low, low, medium, high, xhigh, xhigh),
  row('grok-4.3', none, none, low, medium, high, high, high),
  row('grok-4.20-0309-non-reasoning', silent, silent, silent, silent, silent, silent, silent),
  row('groq/gpt-oss-120b', low, low, low, medium, high, high, high),
  row('groq/qwen3.8-27b', none, silent, silent, silent, silent, silent, silent),
  row(
    'openrouter/kimi-k3',
    ['none', WITHIN('none')],
    ['none', WITHIN('none')],
    ['low', WITHIN('low')],
    ['low', WITHIN('low')],
    ['high', WITHIN('high')],
    ['high', WITHIN('high')],
    ['max', WITHIN('max')],
  ),
  row('openrouter/minimax-m3', ['none', WITHIN('none')], silent, silent, silent, silent, silent, silent),
  row('local/thinker', none, none, none, none, high, high, high),
  row('local/plain', silent, silent, silent, silent, silent, silent, silent),
];

describe('The effort that is sent', () => {
  describe.each(['stream', 'whole answer'])('for a %s', (way) => {
    test.each(TABLE.flatMap(([id, row]) => EFFORTS.map((effort) => [id, effort, row[effort]] as const)))(
      'to %s at %s is %j',
      (id, asked, [effort, members]) => {
        const { applied, thought, body, warnings } = sentAt(id, asked, OPTIONS, way === 'stream');
        expect({ applied, thought }).toEqual({ applied: effort, thought: members });
        expect(Object.hasOwn(body, 'stream')).toBe(way === 'stream');
        const expected =
          effort === asked || (effort === undefined && asked === 'none')
            ? []
            : [effort === undefined ? 'reasoning_effort_ignored' : 'reasoning_effort_adapted'];
        expect(warnings.map(({ code }) => code)).toEqual(expected);
        for (const { message } of warnings)
          expect(message).toContain(
            effort === undefined ? `${asked} was omitted` : `${effort} was sent in place of ${asked}`,
          );
      },
    );
  });

  test('is in the table for every vendor, and every way that an entry of the catalog has', () => {
    const ways = ({ vendor, dialect: { thinking }, reasoning }: Model) =>
      [vendor, thinking, reasoning?.efforts.join() === 'none', reasoning === undefined].join();
    const inTable = new Set(TABLE.map(([id]) => ways(modelOf(id))));
    expect(
      [...CATALOG.values()]
        .filter((model) => model.vendor !== 'simulator' && !inTable.has(ways(model)))
        .map(({ id }) => id),
    ).toEqual([]);
  });

  test.each([...CATALOG.values()].filter(({ vendor }) => vendor !== 'simulator').map(({ id }) => id))(
    'is none to %s where none was asked for',
    (id) => {
      expect(sentAt(id, undefined)).toMatchObject({ applied: undefined, thought: NOTHING, warnings: [] });
    },
  );

  test('is the one of the arm, before that of the options', () => {
    const model = modelOf('gpt-6.1-terra');
    expect(
      adaptParameters({ ...OPTIONS, extra: { reasoning_effort: 'max' } }, model, {
        id: 'gpt-6.1-terra@low',
        effort: 'low',
      }),
    ).toMatchObject({ reasoningEffort: 'low', warnings: [] });
  });
});

describe('A temperature', () => {
  const given = { ...OPTIONS, isTemperatureGiven: true };

  test.each(['claude-sonnet-4-6', 'claude-haiku-4-5'])(
    'is omitted for %s while it thinks, with a warning if the caller gave it',
    (id) => {
      for (const effort of [undefined, 'none'] as const)
        expect(sentAt(id, effort, given)).toMatchObject({ body: { temperature: 0.7 }, warnings: [] });
      const { body, warnings } = sentAt(id, 'high', given);
      expect(body).not.toHaveProperty('temperature');
      expect(warnings).toEqual([
        {
          code: 'temperature_ignored',
          message: 'This model does not accept a temperature while it thinks; it was omitted.',
        },
      ]);
      expect(sentAt(id, 'high').warnings).toEqual([]);
    },
  );

  test('is sent to others at every effort', () => {
    for (const effort of EFFORTS) expect(sentAt('grok-4.3', effort, given).body).toHaveProperty('temperature', 0.7);
  });
});

describe('A model that takes a number of tokens in place of an effort', () => {
  const at = (effort: Effort, maxTokens: number | undefined, room?: number) =>
    sentAt('claude-haiku-4-5', effort, {
      ...OPTIONS,
      ...(maxTokens !== undefined && { maxTokens, isMaxTokensGiven: true }),
      ...(room !== undefined && { extra: { reasoning_tokens: room } }),
    });

  test.each<[Effort, number | undefined, number | undefined, number | undefined, number]>([
    ['high', undefined, 8000, 8000, 8500],
    ['medium', undefined, 8000, 4000, 8500],
    ['low', undefined, 8000, 2000, 8500],
    ['high', 300, 1024, 1024, 1324],
    ['low', 300, 1024, 1024, 1324],
    // Without separate room, thought has to leave some of the limit to the text.
    ['high', 4000, undefined, 3200, 4000],
    ['medium', 4000, undefined, 1600, 4000],
    ['low', 4000, undefined, 1024, 4000],
    ['high', 1280, undefined, 1024, 1280],
    ['high', 1279, undefined, undefined, 1279],
    ['high', 500, undefined, undefined, 500],
    ['low', 300, 1023, undefined, 300],
  ])(
    'thinks at %s with max_tokens %p and reasoning_tokens %p within %p of %d tokens',
    (effort, maxTokens, room, budget, limit) => {
      const { thought, body, warnings, applied } = at(effort, maxTokens, room);
      expect({ thought, limit: body['max_tokens'] }).toEqual({
        thought: budget === undefined ? OFF : BUDGET(budget),
        limit,
      });
      expect(applied).toBe(budget === undefined ? 'none' : effort);
      expect(warnings.map(({ message }) => message)).toEqual(
        budget === undefined
          ? [
              `This model needs room for at least 1024 tokens of thought, which reasoning_tokens or max_tokens gives; none was sent in place of ${effort}.`,
            ]
          : [],
      );
    },
  );
});
