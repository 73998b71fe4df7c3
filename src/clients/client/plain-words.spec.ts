import { intervalMeaning, leadWords, likelihood } from './plain-words';
import type { Eval } from './types';

type Call = number | 'failed' | 'timeout' | 'blank';

/** An eval of models a, b and so on: each row is a round, its figures are latencies and costs. */
function evalOf(
  rounds: readonly (readonly Call[])[],
  leader: { confident?: boolean; p_value?: number | null } | null = {},
  model = 'a',
): Eval {
  const models = ['a', 'b', 'c'].slice(0, rounds[0]?.length);
  const lead = leader && { model, confident: false, p_value: null, because: '', ...leader };
  const results = rounds.flatMap((round) =>
    round.map((call, index) => ({
      model: models[index],
      output: typeof call === 'number' ? 'text' : ' ',
      latency_ms: typeof call === 'number' ? call : 1,
      cost_usd: String(typeof call === 'number' ? call / 1e6 : 0),
      ...(call === 'timeout' && { error: { code: 'timeout' } }),
      ...(call === 'failed' && { error: { code: 'unavailable' } }),
    })),
  );
  return {
    models,
    results,
    statistics: { samples: rounds.length, models: [], fastest: lead, cheapest: lead },
  } as unknown as Eval;
}
const repeated = (count: number, ...round: Call[]) => Array.from({ length: count }, () => round);
const said = (stored: Eval, kind: 'fastest' | 'cheapest' = 'fastest') => {
  const words = leadWords(stored, kind);
  return words && [words.model, words.claim, words.luck].filter(Boolean).join(' ');
};

describe('A lead in plain words', () => {
  it.each<[string, Eval, string]>([
    [
      'won most rounds',
      evalOf([...repeated(5, 1, 2, 3), [2, 1, 3]], { p_value: 0.0625 }),
      'a was fastest in 5 of 6 rounds. That may be luck.',
    ],
    [
      'is likely',
      evalOf(repeated(6, 1, 2), { confident: true, p_value: 0.03125 }),
      'a was fastest in all 6 rounds. That is likely more than luck.',
    ],
    [
      'is very likely',
      evalOf(repeated(10, 1, 2), { confident: true, p_value: 0.00195313 }),
      'a was fastest in all 10 rounds. That is very likely more than luck.',
    ],
    [
      'is unlikely by luck, but smaller than moments make',
      evalOf(repeated(10, 100, 101), { p_value: 0.00195313 }),
      'a was fastest in all 10 rounds. A busy moment can make a difference of this size.',
    ],
    [
      'has one round',
      evalOf([[1, 2]]),
      'a was fastest in the only round. That may be luck: it takes at least 6 rounds to tell.',
    ],
    [
      'has few rounds',
      evalOf([
        [1, 2],
        [2, 1],
        [1, 2],
      ]),
      'a was fastest in 2 of 3 rounds. That may be luck: it takes at least 6 rounds to tell.',
    ],
    [
      'won no more than half of the rounds',
      evalOf([...repeated(3, 1, 2, 3), ...repeated(3, 2, 1, 3)], { p_value: 1 }),
      'a has the lowest median time, but was fastest in only 3 of 6 rounds. That may be luck.',
    ],
    [
      'won none',
      evalOf([...repeated(3, 2, 1, 3), ...repeated(3, 2, 3, 1)], { p_value: 1 }),
      'a has the lowest median time, but was fastest in none of 6 rounds. That may be luck.',
    ],
    ['is a tie', evalOf(repeated(6, 2, 2, 3), { p_value: 1 }), 'The leading models were equally fast in all 6 rounds.'],
    [
      'is over failed calls: their rounds do not count',
      evalOf([...repeated(6, 1, 2), [1, 'failed'], ['failed', 1]], { p_value: 0.03125, confident: true }),
      'a was fastest in all 6 rounds. That is likely more than luck.',
    ],
    [
      'is over timeouts: slower than every answer',
      evalOf([...repeated(5, 1, 2), [9, 'timeout'], ['timeout', 9]]),
      'a was fastest in 6 of 7 rounds. That may be luck.',
    ],
    [
      'is over a timeout of all: nothing is known',
      evalOf([...repeated(6, 1, 2), ['timeout', 'timeout']]),
      'a was fastest in all 6 rounds. That may be luck.',
    ],
    [
      'is over blank answers: they do not count',
      evalOf([...repeated(6, 2, 3), [9, 'blank']]),
      'a was fastest in all 6 rounds. That may be luck.',
    ],
    [
      'has no other model',
      evalOf(repeated(6, 1, 'failed')),
      'No round was answered by two models, so nothing can be compared.',
    ],
  ])('that %s', (_, stored, words) => expect(said(stored)).toBe(words));

  it('is of costs too, which no busy moment changes', () => {
    expect(said(evalOf(repeated(6, 1, 2), { p_value: 0.03125 }), 'cheapest')).toBe(
      'a was cheapest in all 6 rounds. That may be luck.',
    );
    expect(said(evalOf(repeated(6, 0, 0)), 'cheapest')).toBe('The leading models were equally cheap in all 6 rounds.');
    expect(said(evalOf(repeated(2, 1, 2), { confident: true }), 'cheapest')).toBe(
      'a was cheapest in both rounds. That is likely more than luck.',
    );
  });

  it('is not claimed of one model, of failed ones, without statistics and where a link hides the figures', () => {
    const hidden = evalOf(repeated(6, 1, 2));
    const results = hidden.results.map(({ model, output }) => ({ model, output })) as Eval['results'];
    expect([
      said(evalOf(repeated(6, 1))),
      said(evalOf(repeated(6, 'failed', 'failed'), null)),
      said({ ...hidden, statistics: undefined }),
      said({ ...hidden, results }),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('is likely only where the service is confident, and never more than very likely', () => {
    expect(
      [
        [false, 0.001],
        [true, 0.05],
        [true, 0.01],
        [true, 0.0099],
        [true, null],
      ].map(([confident, p]) => likelihood({ confident: confident as boolean, p_value: p as number | null })),
    ).toEqual([undefined, 'likely', 'likely', 'very likely', 'likely']);
    expect(
      [said(evalOf(repeated(10, 1, 2), { confident: true, p_value: 0 })), intervalMeaning(10)].join(' '),
    ).not.toMatch(/\b(?:sure|certain|confiden)/);
  });
});
