import { Clock } from '../common/clock';
import { Config } from '../config/config';
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
const CHANGING = catalog.find(({ vendor, prices }) => vendor === 'openai' && prices[0] !== undefined && prices[0].from > '2026-01-01');

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
    expect(models.list()).toEqual(first);
  });

  test('lists the models of vendors that can be called, by provider and then by id', () => {
    const { models } = aService('2026-11-21T10:00:00.000Z');
    const listed = models.list().map(({ model: { provider, id, vendor } }) => ({ provider, id, vendor }));
    expect(new Set(listed.map(({ vendor }) => vendor))).toEqual(new Set(['simulator', 'openai']));
    expect(listed.map(({ provider, id }) => `${provider} ${id}`)).toEqual(listed.map(({ provider, id }) => `${provider} ${id}`).sort());
    expect(() => models.require(['claude-haiku-5-5'], new Date('2026-11-21T10:00:00.000Z'))).toThrow('Unknown or unavailable models: claude-haiku-5-5;');
  });

  test.each([
    ['those that the catalog marks', {}, catalog.filter(({ free, vendor }) => free && ['simulator', 'openai'].includes(vendor)).map(({ id }) => id)],
    ['those of FREE_MODELS, and of the catalog\'s none', { FREE_MODELS: 'gpt-6.2-sol,sim-titan' }, ['gpt-6.2-sol', 'sim-titan']],
    ['none for an empty FREE_MODELS', { FREE_MODELS: '' }, []],
  ])('lets the free quota cover only %s', (_, variables, free) => {
    const { models } = aService('2026-11-21T10:00:00.000Z', variables);
    expect([...models.freeIds()].sort()).toEqual([...free].sort());
    for (const { model, isFree } of models.list()) expect([model.id, isFree]).toEqual([model.id, free.includes(model.id)]);
  });
});
