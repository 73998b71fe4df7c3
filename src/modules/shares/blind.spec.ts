import fc from 'fast-check';
import { Money } from '../../common/money';
import { Eval } from '../evals/eval.entity';
import type { StoredEval } from '../evals/evals.service';
import { Result } from '../evals/result.entity';
import { hideModelNames } from './blind';

const MODELS = ['sim-swift', 'sim-sage', 'sim-titan'];

/**
 * An eval whose outputs say by which model and in which sample they were made; each model is as fast and as cheap as
 * its position says.
 */
function stored(samples = 2, text = ''): StoredEval {
  const record = Object.assign(new Eval(), {
    models: MODELS,
    samples,
    prompt: `p${text}`,
    input: `i${text}`,
    fastestModel: 'sim-swift',
    cheapestModel: 'sim-swift',
  });
  const results = Array.from({ length: samples * MODELS.length }, (_, position) => {
    const model = MODELS[position % MODELS.length] ?? '';
    const slot = position % MODELS.length;
    return Object.assign(new Result(), {
      position,
      model,
      output: `${slot}/${Math.floor(position / MODELS.length)}${text}`,
      latencyMs: 100 + slot,
      cost: Money.of(`0.00${slot + 1}`),
      error: null,
      details: { vendorModel: `vendor-of-${model}` },
    });
  });
  return { record, results };
}

const seeds = fc.string({ minLength: 1, maxLength: 20 });

describe('A blind eval', () => {
  test('calls its models Model A, Model B … sample by sample, in one order', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 4 }), (seed, samples) => {
        const { record, results } = hideModelNames(stored(samples), seed);
        expect(record.models).toEqual(['Model A', 'Model B', 'Model C']);
        expect(results.map(({ model, position }) => [model, position])).toEqual(
          results.map((_, index) => [record.models[index % 3], index]),
        );
      }),
    );
  });

  test('has every answer once, all of one model under one name and in their samples', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { results } = hideModelNames(stored(3), seed);
        expect(results.map(({ output }) => output).sort()).toEqual(
          stored(3)
            .results.map(({ output }) => output)
            .sort(),
        );
        for (const [index, { output }] of results.entries()) {
          expect(output.split('/')[0]).toBe(results[index % 3]?.output.split('/')[0]);
          expect(output.split('/')[1]).toBe(String(Math.floor(index / 3)));
        }
      }),
    );
  });

  test('has the same order for the same seed, and every order for some seed', () => {
    const orderOf = (seed: string) =>
      hideModelNames(stored(1), seed)
        .results.map(({ output }) => output.charAt(0))
        .join('');
    expect(orderOf('a')).toBe(orderOf('a'));
    expect(new Set(Array.from({ length: 200 }, (_, seed) => orderOf(String(seed)))).size).toBe(6);
  });

  test('renames the models in the system message, and keeps the other options', () => {
    const { record, results } = stored();
    const hidden = hideModelNames(
      { record: { ...record, options: { system: 'You are sim-swift.', exact_model: true } }, results },
      'a',
    );
    expect(hidden.record.options).toEqual({ system: `You are ${hidden.record.fastestModel}.`, exact_model: true });
  });

  test('renames a model at an effort, and the model itself, in every text', () => {
    const { record, results } = stored(1, ' by sim-sage@low, not sim-sage, nor openrouter/kimi-k3 or kimi-k3@high');
    const renamed = (model: string) =>
      model.replace('sim-swift', 'openrouter/kimi-k3@max').replace('sim-sage', 'sim-sage@low');
    const hidden = hideModelNames(
      {
        record: { ...record, models: record.models.map(renamed) },
        results: results.map((result) => ({ ...result, model: renamed(result.model) })),
      },
      'a',
    );
    expect(
      JSON.stringify([hidden.record.prompt, hidden.results.map(({ model, output }) => [model, output])]),
    ).not.toMatch(/sim-sage|kimi/);
  });

  test('names the fastest and the cheapest as it names the others', () => {
    const { record, results } = hideModelNames(stored(), 'a');
    const first = results.find(({ output }) => output.startsWith('0/'))?.model;
    expect([record.fastestModel, record.cheapestModel]).toEqual([first, first]);
  });

  test.each([
    ['I am sim-swift, or Vendor-of-SIM-SAGE.', 'I am {0}, or {1}.'],
    ['sim-swift-2026-11-20, sim-sage-20261120, sim-titan@1120 and sim-swift-latest.', '{0}, {1}, {2} and {0}.'],
    [
      'sim-swiftly, sim-sage_v2, sim-titan-2026-11-20b, xsim-swift and sim-swift-2',
      '{0}ly, {1}_v2, {2}b, x{0} and {0}-2',
    ],
    ['swift and sage are words', 'swift and sage are words'],
  ])('says its names for the ids of models in %j, wherever they are and however they are dated', (text, expected) => {
    const { record, results } = hideModelNames(stored(1, ` ${text}`), 'a');
    const name = (slot: number) => results.find(({ output }) => output.startsWith(`${slot}/`))?.model ?? '';
    const rest = ` ${expected.replace(/\{(\d)\}/g, (_, slot: string) => name(Number(slot)))}`;
    expect([record.prompt, record.input]).toEqual([`p${rest}`, `i${rest}`]);
    for (const { output } of results) expect(output.slice(3)).toBe(rest);
  });

  test.each([
    ['groq/gpt-oss-20b', 'openai/gpt-oss-20b', 'gpt-oss-20b'],
    ['gpt-6-luna-2026-11-20', 'gpt-6-luna-2026-11-20', 'gpt-6-luna'],
    ['ministral-8b-2512', 'ministral-8b-2512', 'ministral-8b'],
  ])('says the name of %s where a text leaves out vendor or date', (model, vendorModel, said) => {
    const source = stored(1, ` ${said}; local/latest`);
    const results = source.results.map((result, index) => ({
      ...result,
      ...(index === 0 ? { model, details: { ...result.details, vendorModel } } : {}),
      ...(index === 1 ? { model: 'local/latest' } : {}),
    }));
    const shown = hideModelNames(
      { record: { ...source.record, models: [model, 'local/latest', 'sim-titan'] }, results },
      'a',
    );
    expect(shown.record.prompt).toMatch(/^p (Model [ABC]); Model [ABC]$/);
    expect(
      hideModelNames(
        { record: { ...source.record, prompt: 'the latest', models: [model, 'local/latest', 'sim-titan'] }, results },
        'a',
      ).record.prompt,
    ).toBe('the latest');
  });

  test('hides the name under which the vendor answered', () => {
    const source = stored(1, ' acme-7b-turbo');
    const results = source.results.map((result, index) =>
      index === 0 ? { ...result, details: { ...result.details, answeredBy: 'acme-7b-turbo' } } : result,
    );
    const shown = hideModelNames({ record: source.record, results }, 'a');
    expect([shown.record.prompt, ...shown.results.map(({ output }) => output)].join()).not.toContain('acme');
  });

  test('calls checks by type and position, because their own names may say what a model is called', () => {
    const { record, results } = stored(1);
    const checks = [
      { name: 'better than GPT Swift', type: 'contains' },
      { name: 'short', type: 'length' },
    ] as Eval['checks'];
    const verdicts = [
      { name: 'better than GPT Swift', type: 'contains', outcome: 'pass', score: 1 },
      { name: 'short', type: 'length', outcome: 'pass', score: 1 },
    ] as Result['checks'];
    const shown = hideModelNames(
      { record: { ...record, checks }, results: results.map((result) => ({ ...result, checks: verdicts })) },
      'a',
    );
    for (const named of [shown.record, ...shown.results])
      expect(named.checks?.map(({ name }) => name)).toEqual(['contains-1', 'length-2']);
  });

  test('leaves its source eval unchanged', () => {
    const source = stored();
    hideModelNames(source, 'a');
    expect(JSON.stringify(source)).toBe(JSON.stringify(stored()));
  });

  test('leaves words alone that short names of models also are', () => {
    const source = stored(1, ' o3 is ozone');
    const short = {
      record: { ...source.record, models: ['o3', ...MODELS.slice(1)] },
      results: source.results.map((result) =>
        result.model === 'sim-swift'
          ? { ...result, model: 'o3', details: { ...result.details, vendorModel: 'o3' } }
          : result,
      ),
    };
    expect(hideModelNames(short, 'a').record.prompt).toBe('p o3 is ozone');
  });
});
