import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import type { Provider } from '../providers/provider';
import { ProviderRegistry } from '../providers/provider.registry';
import { priceAt, readCatalog, type Model, type Price } from './catalog';
import shipped from './catalog.json';
import { ModelsResponseCache } from './models-response-cache';
import { ModelsService } from './models.service';

const SETTINGS = {
  DATABASE_URL: 'postgresql://here/db',
  ADMIN_API_KEY: 'x'.repeat(16),
  API_KEY_PEPPER: 'x'.repeat(16),
};
const catalog = readCatalog(shipped);
// A model whose price changes on a day that is known today.
const CHANGING = changing();

function changing(): Model {
  const found = catalog.find(({ prices }) => prices[1] !== undefined);
  if (found === undefined) throw new Error('The catalog has no model whose price changes.');
  return found;
}

/** A price as it reads in JSON. */
function toNumbers(price: Price | undefined): { input: number; output: number } {
  return JSON.parse(JSON.stringify(price)) as { input: number; output: number };
}

function aList(): { clock: { instant: Date }; models: ModelsService } {
  const clock = Object.assign(new Clock(), { instant: new Date('2026-11-21T10:00:00.000Z'), now: () => clock.instant });
  const vendors = [...new Set(catalog.map(({ vendor }) => vendor))].filter((vendor) => vendor !== 'local');
  return {
    clock,
    models: new ModelsService(
      new ProviderRegistry(vendors.map((vendor) => ({ vendor })) as Provider[]),
      clock,
      Config.read(SETTINGS),
    ),
  };
}

function modelsIn(body: string): { id: string; details?: { free: boolean } }[] {
  return (JSON.parse(body) as { models: { id: string }[] }).models;
}

describe('ModelsResponseCache', () => {
  test.each([
    ['all', null],
    ['some', [CHANGING.id]],
  ])('answers with the prices of now, not those of its first response, for keys that may call %s', (_, allowed) => {
    const { clock, models } = aList();
    const responses = new ModelsResponseCache();
    const change = Date.parse(`${CHANGING.prices[1]?.from}T00:00:00Z`);
    const etags = new Set<string>();
    for (const instant of [new Date(change - 1), new Date(change), new Date(change + 60_000)]) {
      clock.instant = instant;
      const { input, output } = toNumbers(priceAt(CHANGING, instant));
      for (const includeDetails of [false, true, false]) {
        const { body, etag } = responses.get(models.list(), allowed, includeDetails);
        const details = includeDetails ? { details: { price: { input_per_1m: input, output_per_1m: output } } } : {};
        expect(modelsIn(body).find(({ id }) => id === CHANGING.id)).toMatchObject({
          input_per_1m: input,
          output_per_1m: output,
          ...details,
        });
        etags.add(etag);
      }
    }
    // Plain and with details, before the change and after it; a minute that changes nothing changes no tag.
    expect(etags.size).toBe(4);
  });

  test('marks as free the models that the catalog marks, and no other', () => {
    const { models } = aList();
    const sent = modelsIn(new ModelsResponseCache().get(models.list(), null, true).body);
    const idsOf = (free: boolean) => sent.filter(({ details }) => details?.free === free).map(({ id }) => id);
    expect(idsOf(true)).toEqual(
      models
        .list()
        .filter(({ model }) => model.free)
        .map(({ model }) => model.id),
    );
    expect(idsOf(false)).toEqual(
      models
        .list()
        .filter(({ model }) => !model.free)
        .map(({ model }) => model.id),
    );
  });

  test('shows a key its own models, also after another key has asked', () => {
    const { models } = aList();
    const responses = new ModelsResponseCache();
    const idsFor = (allowed: readonly string[] | null) =>
      modelsIn(responses.get(models.list(), allowed, false).body).map(({ id }) => id);
    const all = models.list().map(({ model }) => model.id);
    expect([idsFor(null), idsFor(['sim-swift']), idsFor([]), idsFor(null)]).toEqual([all, ['sim-swift'], [], all]);
  });

  test('serializes what keys may call once, until the list changes or many others have been asked for', () => {
    const { clock, models } = aList();
    const responses = new ModelsResponseCache();
    const get = (...allowed: string[]) => responses.get(models.list(), allowed, false);
    const first = get('sim-swift', 'sim-sage');
    expect(get('sim-swift', 'sim-sage')).toBe(first);
    for (const others of [
      ['sim-swift'],
      ['sim-sage', 'sim-titan'],
      ['sim-swift","sim-sage'],
      ['sim-swift,sim-sage'],
      [],
    ])
      expect(
        modelsIn(get(...others).body)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(others.filter((id) => !id.includes(',')));
    expect(responses.get(models.list(), ['sim-swift', 'sim-sage'], true).body).not.toBe(first.body);
    expect(get('sim-swift', 'sim-sage')).toBe(first);
    clock.instant = new Date(clock.instant.getTime() + 60_000);
    const later = get('sim-swift', 'sim-sage');
    expect(later).not.toBe(first);
    for (let count = 0; count < 100; count += 1) get(`none-${count}`);
    expect(get('sim-swift', 'sim-sage')).not.toBe(later);
  });
});
