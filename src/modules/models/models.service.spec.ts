import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder';
import { Clock } from '../../common/clock';
import { writtenId } from '../../common/model-arm';
import { Config } from '../../platform/config/config';
import type { Provider } from '../providers/provider';
import { ProviderRegistry } from '../providers/provider.registry';
import { priceAt, readCatalog } from './catalog';
import shipped from './catalog.json';
import { ModelsService } from './models.service';

/** A stopped clock that the test sets. */
class StillClock extends Clock {
  constructor(public instant: Date) {
    super();
  }

  override now(): Date {
    return this.instant;
  }
}

/** One simulated and one real vendor can be called. */
const REGISTRY = new ProviderRegistry([{ vendor: 'simulator' }, { vendor: 'openai' }] as Provider[]);
const SECRETS = { DATABASE_URL: 'postgresql://here/db', ADMIN_API_KEY: 'x'.repeat(16), API_KEY_PEPPER: 'x'.repeat(16) };

function aService(at: string, variables: Record<string, string> = {}): { clock: StillClock; models: ModelsService } {
  const clock = new StillClock(new Date(at));
  return { clock, models: new ModelsService(REGISTRY, clock, Config.read({ ...SECRETS, ...variables })) };
}

// A model whose price is known to begin on a day that is not the catalog's first.
const catalog = readCatalog(shipped);
const CHANGING = catalog.find(
  ({ vendor, prices }) => vendor === 'openai' && prices[0] !== undefined && prices[0].from > '2026-01-01',
);

describe('ModelsService', () => {
  test('lists the prices of the minute of the request, not those of the start', () => {
    if (CHANGING?.prices[0] === undefined) throw new Error('The catalog has no such model.');
    const from = Date.parse(`${CHANGING.prices[0].from}T00:00:00Z`);
    const { clock, models } = aService(new Date(from - 1).toISOString());
    const listed = () => models.list().find(({ model }) => model.id === CHANGING.id)?.price;
    expect(listed()).toBeUndefined();
    expect(() => models.require([CHANGING.id], clock.now())).toThrow('Unknown or unavailable models');
    clock.instant = new Date(from);
    expect(listed()).toEqual(priceAt(CHANGING, clock.now()));
    expect(models.require([CHANGING.id], clock.now())[0]?.price).toBe(listed());
  });

  test('prices an eval at the instant in which it started, whatever the clock says meanwhile', () => {
    const from = Date.parse(`${CHANGING?.prices[0]?.from}T00:00:00Z`);
    const { clock, models } = aService(new Date(from).toISOString());
    expect(models.require([CHANGING?.id ?? ''], clock.now())).toHaveLength(1);
    expect(() => models.require([CHANGING?.id ?? ''], new Date(from - 1))).toThrow('Unknown or unavailable models');
  });

  test('returns the same list within a minute, and another one in the next', () => {
    const { clock, models } = aService('2026-11-21T10:00:00.000Z');
    const first = models.list();
    clock.instant = new Date('2026-11-21T10:00:59.999Z');
    expect(models.list()).toBe(first);
    clock.instant = new Date('2026-11-21T10:01:00.000Z');
    expect(models.list()).not.toBe(first);
    // Functions are equal to themselves only.
    expect(JSON.stringify(models.list())).toBe(JSON.stringify(first));
  });

  test('has the prices of the models of the same vendor that answer under a name, at the instant of the eval', () => {
    const { models } = aService('2026-11-21T10:00:00.000Z');
    const [luna] = models.require(['gpt-6-luna'], new Date('2026-11-21T10:00:00.000Z'));
    const inputs = (name: string) => luna?.pricesOf(name).map(({ input }) => input.toString());
    expect([inputs('gpt-6.1-terra'), inputs('gpt-6.1-terra-2026-10-26'), inputs('openai/GPT-6.1-terra')]).toEqual([
      ['1'],
      ['1'],
      ['1'],
    ]);
    // No model, a model of another vendor, and one before its first price.
    const [early] = models.require(['gpt-6-luna'], new Date('2026-10-01T00:00:00.000Z'));
    expect([inputs('gpt-nobody'), inputs('sim-swift'), early?.pricesOf('gpt-6.1-terra')]).toEqual([[], [], []]);
  });

  test('lists the models of vendors that can be called, by provider and then by id', () => {
    const { models } = aService('2026-11-21T10:00:00.000Z');
    const listed = models.list().map(({ model: { provider, id, vendor } }) => ({ provider, id, vendor }));
    expect(new Set(listed.map(({ vendor }) => vendor))).toEqual(new Set(['simulator', 'openai']));
    expect(listed.map(({ provider, id }) => `${provider} ${id}`)).toEqual(
      listed.map(({ provider, id }) => `${provider} ${id}`).sort(),
    );
    expect(() => models.require(['claude-haiku-5-5'], new Date('2026-11-21T10:00:00.000Z'))).toThrow(
      'Unknown or unavailable models: claude-haiku-5-5;',
    );
  });

  test.each([
    [
      'those that the catalog marks',
      {},
      catalog.filter(({ free, vendor }) => free && ['simulator', 'openai'].includes(vendor)).map(({ id }) => id),
    ],
    [
      "those of FREE_MODELS, and of the catalog's none",
      { FREE_MODELS: 'gpt-6.2-sol,sim-titan' },
      ['gpt-6.2-sol', 'sim-titan'],
    ],
    ['none for an empty FREE_MODELS', { FREE_MODELS: '' }, []],
  ])('lets the free quota cover only %s', (_, variables, free) => {
    const { models } = aService('2026-11-21T10:00:00.000Z', variables);
    expect([...models.freeIds()].sort()).toEqual([...free].sort());
    for (const { model, isFree } of models.list())
      expect([model.id, isFree]).toEqual([model.id, free.includes(model.id)]);
  });

  describe('with MODEL_CATALOG_FILE', () => {
    const file = join(temporaryFolder(), 'models.json');
    const mine = {
      ...shipped.find(({ id }) => id === 'gpt-6.2-sol'),
      id: 'mine',
      prices: [{ from: '2026-01-01', input: '1', output: '2' }],
    };
    const write = (...entries: object[]) => writeFileSync(file, JSON.stringify(entries));
    const start = () => aService('2026-11-21T10:00:00.000Z', { MODEL_CATALOG_FILE: file });
    const input = (models: ModelsService, id: string) =>
      models
        .list()
        .find(({ model }) => model.id === id)
        ?.price.input.toString();

    test('neither lists nor calls unverified entries, and lets none replace a reviewed entry', () => {
      write(
        { ...mine, unverified: true },
        { ...mine, id: 'gpt-6.2-sol', unverified: true },
        { ...mine, id: 'reviewed', unverified: false },
      );
      const { models } = start();
      expect([input(models, 'mine'), input(models, 'gpt-6.2-sol'), input(models, 'reviewed')]).toEqual([
        undefined,
        '2',
        '1',
      ]);
      expect(() => models.require(['mine'], new Date('2026-11-21T10:00:00.000Z'))).toThrow(
        'Unknown or unavailable models: mine;',
      );
      expect(() => aService('2026-11-21T10:00:00.000Z', { MODEL_CATALOG_FILE: file, FREE_MODELS: 'mine' })).toThrow(
        'FREE_MODELS: the catalog has no model with the id mine',
      );
    });

    test('reads it again within the same minute, and keeps the prices of what was admitted before', () => {
      write(mine);
      const { models, clock } = start();
      const [before] = models.require(['mine'], clock.now());
      const list = models.list();
      write({ ...mine, prices: [{ from: '2026-01-01', input: '3', output: '4' }] }, { ...mine, id: 'other' });
      models.reload();
      expect([input(models, 'mine'), input(models, 'other'), before?.price.input.toString()]).toEqual(['3', '1', '1']);
      expect(models.list()).not.toBe(list);
      write();
      models.reload();
      expect(() => models.require(['mine'], clock.now())).toThrow('Unknown or unavailable models: mine;');
    });

    test.each([
      ['is no JSON', '[', 'MODEL_CATALOG_FILE: is not valid JSON'],
      [
        'has one broken entry beside a good one',
        JSON.stringify([
          { ...mine, id: 'good' },
          { ...mine, id: 'b@d' },
        ]),
        'b@d',
      ],
      ['lacks a free model', '[]', 'FREE_MODELS: the catalog has no model with the id mine'],
    ])('keeps the old catalog where the new one %s', (_, text, message) => {
      write(mine);
      const { models } = aService('2026-11-21T10:00:00.000Z', { MODEL_CATALOG_FILE: file, FREE_MODELS: 'mine' });
      writeFileSync(file, text);
      expect(() => models.reload()).toThrow(message);
      expect([input(models, 'mine'), input(models, 'good'), models.freeIds()]).toEqual(['1', undefined, ['mine']]);
    });
  });

  test('neither lists nor calls a model that its vendor has retired, and says from when on, until the vendor takes it back', () => {
    const { models, clock } = aService('2026-11-21T10:00:00.000Z');
    const listed = () => models.list().some(({ model }) => model.id === 'gpt-6.2-sol');
    models.setRetired('openai', new Map([['gpt-6.2-sol', '2026-11-20']]));
    expect(listed()).toBe(false);
    expect(() => models.require(['gpt-6.2-sol'], clock.now())).toThrow(
      'gpt-6.2-sol was discontinued on 2026-11-20; GET /api/v1/models',
    );
    expect(models.priceSteps('gpt-6.2-sol', clock.now())).toEqual([]);
    models.setRetired('anthropic', new Map());
    models.reload();
    expect(listed()).toBe(false);
    models.setRetired('openai', new Map());
    expect(listed()).toBe(true);
  });

  describe('with an effort behind an @', () => {
    const NOON = '2026-11-24T12:00:00Z';
    const required = (...ids: string[]) => {
      const { models, clock } = aService(NOON);
      return models.require(ids, clock.instant);
    };

    test('finds the model with the price and the quota of its id, and keeps what was written', () => {
      const [plain, arm, other] = required('sim-sage', 'sim-sage@low', 'sim-sage@none');
      expect(arm).toEqual({
        ...plain,
        pricesOf: expect.any(Function) as unknown,
        arm: { id: 'sim-sage@low', effort: 'low' },
      });
      expect(
        [plain, arm, other].map((priced) => priced && [writtenId(priced), priced.model.id, priced.isFree]),
      ).toEqual([
        ['sim-sage', 'sim-sage', true],
        ['sim-sage@low', 'sim-sage', true],
        ['sim-sage@none', 'sim-sage', true],
      ]);
    });

    test('has the price steps of its model', () => {
      const { models, clock } = aService(NOON);
      expect(models.priceSteps('sim-sage@low', clock.instant)).toEqual(models.priceSteps('sim-sage', clock.instant));
      expect(models.priceSteps('sim-sage@low', clock.instant)).not.toEqual([]);
    });

    test.each([
      ['sim-sage@loud', 'The efforts of sim-sage are none, low, medium, high.'],
      ['sim-sage@', 'The efforts of sim-sage are none, low, medium, high.'],
      ['sim-sage@LOW', 'The efforts of sim-sage are none, low, medium, high.'],
      ['sim-sage@low@high', 'The efforts of sim-sage are none, low, medium, high.'],
      ['sim-sage@ low', 'The efforts of sim-sage are none, low, medium, high.'],
      ['sim-sage@max', 'The efforts of sim-sage are none, low, medium, high.'],
      ['gpt-6.2-sol@none', 'The efforts of gpt-6.2-sol are low, medium, high, xhigh, max.'],
      ['sim-swift@low', 'sim-swift takes no reasoning effort; write its id without an @.'],
      ['sim-swift@none', 'sim-swift takes no reasoning effort; write its id without an @.'],
    ])('refuses %s and says what there is', (id, sentence) => {
      expect(() => required('sim-titan', id)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          param: 'models[1]',
          message: `models[1] is ${id}, and there is no such effort. ${sentence}`,
        }) as Error,
      );
    });

    test.each(['@low', 'nobody@low', 'nobody@', '@'])('does not know %s, and names all of it', (id) => {
      expect(() => required('sim-sage@low', id)).toThrow(
        expect.objectContaining({
          code: 'unknown_model',
          param: 'models[1]',
          details: { unknown_models: [id] },
        }) as Error,
      );
    });
  });
});
