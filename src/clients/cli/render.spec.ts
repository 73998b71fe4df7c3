import stringWidth from 'string-width';
import type { CompareEvent, Eval } from '../client/client';
import { blockLines, columnLines, pairLines, summaryLines, type View } from './render';
import { painter } from './text';
import { applyEvent, initialState, stateOf, type WatchState } from './watch-state';

const MODELS = ['sim-swift', 'sim-sage', 'sim-titan', 'local/中文-模型:7b'];
const details = { charge_usd: '0', finish_reason: 'stop', ttft_ms: 310, tokens_per_second: 59.6, attempts: 1 };
const result = (model: string, more: object) => ({
  model,
  provider: 'simulator',
  output: 'The same request always gives the same text.\n\n  code stays indented\n日本語のテキストは幅が二倍です。',
  latency_ms: 1210,
  cost_usd: '0.00002805',
  input_tokens: 7,
  output_tokens: 45,
  total_tokens: 52,
  details,
  ...more,
});
const STORED = {
  eval_id: 'eval_01m7z',
  prompt: 'p',
  models: MODELS,
  results: [
    result('sim-swift', {}),
    result('sim-sage', {
      output: 'This answer is simulated.\u001b[2J',
      latency_ms: 620,
      cost_usd: '0.000432',
      warnings: [{ code: 'output_truncated', message: '' }],
    }),
    result('sim-titan', {
      output: '',
      error: { code: 'unavailable', message: 'The vendor had an error of its own.', retryable: true },
      details: { ...details, attempts: 3 },
    }),
    result(MODELS[3] ?? '', { output: '', details: { ...details, finish_reason: 'length', tokens_per_second: null } }),
  ],
  meta: {
    total_cost_usd: '0.00046005',
    fastest_model: 'sim-sage',
    cheapest_model: 'sim-swift',
    created_at: '2026-11-21T21:23:00.000Z',
  },
  details: { input: null, options: {}, charge_usd: '0', free: true, duration_ms: 1210 },
} as unknown as Eval;

const EVENTS = [
  { event: 'eval-started', data: { eval_id: 'eval_01m7z', models: MODELS } },
  { event: 'delta', data: { model: 'sim-swift', text: 'The same request ' } },
  { event: 'delta', data: { model: 'sim-swift', text: 'always gives the same text. A' } },
  { event: 'result', data: STORED.results[2] },
] as CompareEvent[];

const view = (width: number, more: Partial<View> = {}): View => ({
  width,
  elapsedMs: 2100,
  paint: painter(false),
  ...more,
});
const running = EVENTS.reduce<WatchState>(applyEvent, initialState(MODELS));
const ended = applyEvent(running, { id: '9', event: 'eval', data: STORED });
const linesAt = (state: WatchState, width: number) =>
  width < 60 ? state.models.flatMap((model) => blockLines(model, state, view(width))) : columnLines(state, view(width));

describe('The lines of a compare', () => {
  it.each([40, 80, 200])('fit a terminal of %s columns while it runs and at its end', (width) => {
    for (const [name, state] of Object.entries({ running, ended })) {
      const lines = linesAt(state, width);
      expect(`\n${lines.join('\n')}\n`).toMatchSnapshot(name);
      for (const line of lines) expect(stringWidth(line)).toBeLessThan(width);
    }
  });

  it('take no more lines than there are while they are redrawn, and show the end of each text', () => {
    const long = applyEvent(running, {
      id: '5',
      event: 'delta',
      data: { model: 'sim-swift', text: ' word'.repeat(5000) + ' last' },
    });
    const lines = columnLines(long, view(80, { height: 20 }));
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.join('\n')).toContain('last');
  });

  it('name the model of every column, before they say what it leads in', () => {
    const headAt = (width: number, models: string[], samples: number) => {
      const stored = {
        eval_id: 'eval_1',
        models: [...models, 'slow'],
        results: Array.from({ length: samples }, () => [
          ...models.map((model) => result(model, {})),
          result('slow', { latency_ms: 2000, cost_usd: '1' }),
        ]).flat(),
        meta: { fastest_model: models[0], cheapest_model: models[0] },
      } as unknown as Eval;
      const state = stateOf(stored);
      return columnLines({ ...state, models: state.models.filter(({ model }) => model !== 'slow') }, view(width))[0]
        ?.trim()
        .replace(/ +/g, ' ');
    };
    expect(headAt(200, ['sim-swift'], 2)).toBe('sim-swift #1 1.21 s fastest cheapest');
    expect(headAt(37, ['sim-swift'], 2)).toBe('sim-swift #1 1.21 s fastest cheapest');
    expect(headAt(36, ['sim-swift'], 2)).toBe('sim-swi… #1 1.21 s fastest cheapest');
    expect(headAt(35, ['sim-swift'], 2)).toBe('sim-swift #1 1.21 s fastest');
    expect(headAt(25, ['sim-swift'], 2)).toBe('sim-swift #1 1.21 s');
    expect(headAt(27, ['a'], 1)).toBe('a 1.21 s fastest cheapest');
    expect(headAt(11, ['sim-swift'], 1)).toBe('si… 1.21 s');
  });

  it('name effort, thought apart from text, and a substitute', () => {
    const thought = result('a', {
      details: {
        ...details,
        applied: { reasoning_effort: 'low' },
        tokens: { reasoning: 40 },
        answered_by: 'b\u001b[2J',
      },
      warnings: [{ code: 'model_substituted', message: '' }],
    });
    const refused = result('a', {
      output: '',
      details: { ...details, answered_by: 'b' },
      error: { code: 'model_substituted', message: 'Another model answered.' },
    });
    const linesOf = (one: object) =>
      blockLines(
        stateOf({ ...STORED, models: ['a'], results: [one] } as unknown as Eval).models[0] as never,
        ended,
        view(100),
      );
    expect(linesOf(thought).at(-3)).toBe('60 tok/s  7+5  40 thought  $0.0000281  effort low  answered by b␛[2J');
    expect(linesOf(refused).at(-2)).toBe('answered by b');
  });

  it('with colors are as wide as without', () => {
    const [plain, colored] = [columnLines(ended, view(80)), columnLines(ended, view(80, { paint: painter(true) }))];
    expect(colored.map((line) => stringWidth(line))).toEqual(plain.map((line) => stringWidth(line)));
    expect(colored.join('')).toContain('\u001b[');
  });

  it('end with what was stored, what it cost and where it is', () => {
    const at = (width: number) => summaryLines(ended, { freeLeft: 96, address: 'http://127.0.0.1:3000', width });
    const [facts, url] = ['3 of 4 · $0.00046005 · free, 96 left', 'http://127.0.0.1:3000/evals/eval_01m7z'];
    const charged = {
      ...ended,
      stored: { ...STORED, details: { ...STORED.details, free: false, charge_usd: '0.000644' } } as Eval,
    };
    expect(summaryLines(charged, { freeLeft: 96, address: 'http://a', width: 100 })).toEqual([
      'eval_01m7z  3 of 4 · $0.00046005 · charged $0.000644 · http://a/evals/eval_01m7z',
    ]);
    expect([at(100), at(60), at(40)]).toEqual([
      [`eval_01m7z  ${facts} · ${url}`],
      [`eval_01m7z  ${facts}`, url],
      ['eval_01m7z', facts, url],
    ]);
  });
});

describe('Two texts beside each other', () => {
  it.each([60, 80, 200])('fit a terminal of %s columns, and meet again after a line that both have', (width) => {
    const pairs: [string, string][] = [
      ['[-Bonjour-], and 日本語のテキスト', '{+Good morning, everybody who reads this line,+} and 日本語のテキスト'],
      ['the end', 'the end'],
    ];
    const lines = pairLines(['sim-swift  1 removed', 'sim-sage  7 added'], pairs, view(width));
    expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
    for (const line of lines) expect(stringWidth(line)).toBeLessThan(width);
    expect(lines.at(-1)).toMatch(/^ the end +│ the end$/);
  });
});
