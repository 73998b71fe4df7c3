import fc from 'fast-check';
import { FAILURES } from './provider.error';
import { countQuoted, quotedTokens, scriptFor, simulatedTokens, words, type SimulatorScript } from './simulator.script';

const NOTHING: SimulatorScript = {
  slowMs: 0,
  fail: undefined,
  cut: false,
  length: undefined,
  refusal: false,
  pace: undefined,
  echo: false,
  say: undefined,
  vary: 1,
  think: undefined,
  judge: 'fair',
  answeredBy: undefined,
  statedCost: undefined,
};

describe('The script in a prompt', () => {
  test.each<[string, Partial<SimulatorScript>]>([
    ['Say hello.', {}],
    ['[[sim:slow=250]] Say hello.', { slowMs: 250 }],
    ['[[sim:slow]]', { slowMs: 2000 }],
    ['[[sim:slow=0]]', { slowMs: 0 }],
    ['[[sim:slow=999999999]]', { slowMs: 120_000 }],
    ['[[sim:fail]]', { fail: 'unavailable' }],
    ['[[sim:fail=rate_limited]]', { fail: 'rate_limited' }],
    ['[[sim:fail=no_such_code]]', { fail: 'unavailable' }],
    ['[[sim:fail=constructor]]', { fail: 'unavailable' }],
    ['before [[sim:cut]] after', { cut: true }],
    ['[[sim:length=3]]', { length: 3 }],
    ['[[sim:length=0]]', { length: 0 }],
    ['[[sim:length]]', {}],
    ['[[sim:length=many]]', {}],
    ['[[sim:refusal]]', { refusal: true }],
    ['[[sim:pace=50]]', { pace: 50 }],
    ['[[sim:pace]]', { pace: 20 }],
    ['[[sim:pace=0]]', { pace: 1 }],
    ['[[sim:pace=10001]]', { pace: 10_000 }],
    ['[[sim:echo]]', { echo: true }],
    ['[[sim:think=70]]', { think: 70 }],
    ['[[sim:think=0]]', { think: 0 }],
    ['[[sim:think]]', { think: 1000 }],
    ['[[sim:judge=first]]', { judge: 'first' }],
    ['[[sim:judge=longer]]', { judge: 'longer' }],
    ['[[sim:judge=obeys]]', { judge: 'obeys' }],
    ['[[sim:judge=first]] [[sim:judge=fair]]', {}],
    ['[[sim:judge]]', {}],
    ['[[sim:judge=constructor]]', {}],
    ['[[sim:say=Yes.]]', { say: 'Yes.' }],
    ['[[sim:say=]]', { say: '' }],
    ['[[sim:say={"a": [1, 2], "b": "é\n🐘"}]] and [[sim:cut]]', { say: '{"a": [1, 2], "b": "é\n🐘"}', cut: true }],
    ['[[sim:say=[[1]]]', { say: '[[1' }],
    ['[[sim:say=[[sim:cut]]', { say: '[[sim:cut' }],
    ['[[sim:say=one]] [[sim:say=two]]', { say: 'two' }],
    ['[[sim-sage:say=[[sim:cut]][[sim:length=3]]', { length: 3 }],
    ['[[sim:vary=7]]', { vary: 7 }],
    ['[[sim:vary]]', { vary: 3 }],
    ['[[sim:vary=0]]', { vary: 1 }],
    ['[[sim:vary=1000000]]', { vary: 20 }],
    ['[[sim:answered-by=vendor/Model-5.2:8b@x_y+z]]', { answeredBy: 'vendor/Model-5.2:8b@x_y+z' }],
    [`[[sim:answered-by=${'m.'.repeat(100)}]]`, { answeredBy: 'm.'.repeat(100) }],
    ['[[sim:stated-cost=0.000000000001]]', { statedCost: '0.000000000001' }],
    ['[[sim:stated-cost=123456789]]', { statedCost: '123456789' }],
    ['[[sim:stated-cost=0]]', { statedCost: '0' }],
    [
      '[[sim:stated-cost=1234567890]] [[sim:stated-cost=0.0000000000001]] [[sim:stated-cost=-1]] [[sim:stated-cost=1e3]] [[sim:stated-cost=NaN]]',
      {},
    ],
    ['[[sim:slow=5]][[sim:length=9]] and [[sim:cut]]', { slowMs: 5, length: 9, cut: true }],
    ['[[sim:length=1]] [[sim:length=2]]', { length: 2 }],
  ])('asks, in %j, for %j', (prompt, asked) => {
    expect(scriptFor('sim-quill', prompt)).toEqual({ ...NOTHING, ...asked });
  });

  test.each([
    '[sim:cut]',
    '[[sim:cut]',
    '[[SIM:cut]]',
    '[[sim: cut]]',
    '[[sim:explode]]',
    '[[sim:cut:now]]',
    '[[:cut]]',
    '[[sim-:cut]]',
    'sim:cut',
    '[[sim:say]]',
    '[[sim:say=no end',
    '[[sim:say=no end]',
    '[[sim:answered-by]]',
    '[[sim:answered-by=]]',
    '[[sim:answered-by=a model]]',
    `[[sim:answered-by=${'m.'.repeat(100)}m]]`,
    '[[sim:stated-cost]]',
    '[[sim:fail=a-b]]',
  ])('is absent from %j, which is plain text', (prompt) => {
    expect(scriptFor('sim-quill', prompt)).toEqual(NOTHING);
  });

  test.each(Object.keys(FAILURES))('can ask for the failure %s', (code) => {
    expect(scriptFor('sim-quill', `[[sim:fail=${code}]]`).fail).toBe(code);
  });

  test('addresses only the model that it names', () => {
    const prompt = '[[sim-quill:fail=overloaded]] [[sim-sage:cut]] [[sim:length=7]]';
    expect(scriptFor('sim-quill', prompt)).toEqual({ ...NOTHING, fail: 'overloaded', length: 7 });
    expect(scriptFor('sim-sage', prompt)).toEqual({ ...NOTHING, cut: true, length: 7 });
    expect(scriptFor('sim-swift', prompt)).toEqual({ ...NOTHING, length: 7 });
  });

  test('is parsed for every prompt', () => {
    scriptFor('sim-quill', '[[sim:cut]]');
    expect(scriptFor('sim-quill', 'hello')).toEqual(NOTHING);
  });
});

describe('Simulated words', () => {
  test.each([0, 1, 2, 100])('are as many as requested: %d', (count) => {
    const generated = [...words(7, count)];
    expect(generated).toHaveLength(count);
    expect(generated.every((word, index) => (index === 0 ? /^[A-Za-z]+[.,]?$/ : /^ [A-Za-z]+[.,]?$/).test(word))).toBe(
      true,
    );
  });

  test('are the same for the same seed and differ for another one', () => {
    expect([...words(7, 50)]).toEqual([...words(7, 50)]);
    expect([...words(7, 50)]).not.toEqual([...words(8, 50)]);
  });

  test('are different for any 20 seeds in a row', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.integer({ min: 20, max: 500 }), (first, count) => {
        const texts = Array.from({ length: 20 }, (_, next) => [...words(first + next, count)].join(''));
        expect(new Set(texts).size).toBe(20);
      }),
    );
  });

  test('begin alike however many are requested', () => {
    expect([...words(4_294_967_295, 80)].slice(0, 20)).toEqual([...words(4_294_967_295, 20)]);
  });
});

describe('Simulated tokens', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['four', 1],
    ['fives', 2],
    ['x'.repeat(400), 100],
    ['x'.repeat(401), 101],
  ])('for %j number %d', (text, count) => {
    expect(simulatedTokens(text)).toBe(count);
  });
});

describe('A quoted text', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['four', 1],
    ['fives', 2],
    ['🐘🐘🐘🐘🐘', 2],
    ['a\nb', 1],
  ])('has, for %j, %d tokens, which make it up', (text, count) => {
    expect(countQuoted(text)).toBe(count);
    expect([...quotedTokens(text, count)].join('')).toBe(text);
    expect([...quotedTokens(text, count)].every((token) => token.isWellFormed())).toBe(true);
  });

  test('begins again when more is requested than there is', () => {
    expect([...quotedTokens('Hello!', 5)]).toEqual(['Hell', 'o!', 'Hell', 'o!', 'Hell']);
  });
});

describe('The answer of a simulated model', () => {
  test('reads well, and does not claim to cost nothing', () => {
    expect([...words(0, 22)].join('')).toBe(
      'This answer is simulated and says little. No vendor was called, yet it has a price and is counted like any other.',
    );
    expect([...words(1, 500)].join('')).not.toMatch(/nothing|free/);
  });
});
