import { setImmediate as turn } from 'node:timers/promises';
import { endAll } from '../../../test/support/cleanup';
import { startModelsApi } from '../../../test/support/models-api';
import { Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { AnthropicProvider } from '../providers/anthropic/anthropic.provider';
import { OpenAiProvider } from '../providers/openai/openai.provider';
import { ProviderRegistry } from '../providers/provider.registry';
import shipped from './catalog.json';
import { CatalogCheckService } from './catalog-check.service';
import { ModelsService } from './models.service';

const WEEK_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;
const SECRETS = { DATABASE_URL: 'postgresql://here/db', ADMIN_API_KEY: 'x'.repeat(16), API_KEY_PEPPER: 'x'.repeat(16) };

class MovingClock extends Clock {
  // A Tuesday; weeks since the epoch begin on Thursdays.
  instant = Date.parse('2026-11-24T12:00:00.000Z');

  override now(): Date {
    return new Date(this.instant);
  }
}

describe('CatalogCheckService', () => {
  // The network keeps its time.
  beforeEach(
    () => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] }),
  );
  afterEach(() => void jest.useRealTimers());
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(endAll);

  async function started(
    answer: unknown,
    variables: Record<string, string> = { OPENAI_API_KEY: 'sk-0123456789' },
    vendor: 'openai' | 'anthropic' = 'openai',
  ) {
    const requests: unknown[] = [];
    const url = await startModelsApi({
      [vendor === 'anthropic' ? '/v1/models' : '/models']: (
        _: unknown,
        response: { end(text: string): void; setHeader(name: string, value: string): void },
      ) => {
        requests.push(answer);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answer));
      },
    });
    const config = Config.read({ ...SECRETS, ...variables, OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url });
    const [clock, metrics] = [new MovingClock(), new Metrics()];
    const [transport, access] = [
      { post: () => Promise.reject(new Error('not called')) },
      { apiKey: 'k', baseUrl: url },
    ];
    const provider =
      vendor === 'anthropic' ? new AnthropicProvider(transport, access) : new OpenAiProvider(vendor, transport, access);
    const models = new ModelsService(new ProviderRegistry([provider]), clock, config);
    const service = new CatalogCheckService(config, models, metrics, clock);
    service.onApplicationBootstrap();
    const findings = async () =>
      [...(await metrics.registry.metrics()).matchAll(/^mcs_catalog_findings\{kind="(\w+)"\} (\d+)$/gm)].map(
        ([, kind, count]) => `${kind} ${count}`,
      );
    /** Lets the time pass, and then the check end. */
    const pass = async (ms: number, count = requests.length) => {
      clock.instant += ms;
      await jest.advanceTimersByTimeAsync(ms);
      for (let waited = 0; waited < 5000 && requests.length < count; waited += 1) await turn();
      for (let waited = 0; waited < 500; waited += 1) await turn();
    };
    return { requests, models, service, findings, pass };
  }

  const listOf = (...without: string[]) =>
    shipped
      .filter(({ vendor, vendorModel }) => vendor === 'openai' && !without.includes(vendorModel))
      .map(({ vendorModel: id }): object => ({ id }));

  test('asks some minutes after the start and then in the first minutes of a week, and shows the findings as a metric', async () => {
    const { requests, models, findings, pass, service } = await started({
      data: [...listOf('gpt-6.2-sol', 'gpt-6-luna'), { id: 'gpt-6.2-sol', shutdown_date: '2026-11-20' }],
    });
    const listed = () => models.list().some(({ model }) => model.id === 'gpt-6.2-sol');
    await pass(5 * MINUTE_MS - 1);
    expect([requests.length, listed()]).toEqual([0, true]);
    expect(await findings()).toContain('retired 0');
    await pass(5 * MINUTE_MS + 1, 1);
    expect(requests).toHaveLength(1);
    expect(await findings()).toEqual(expect.arrayContaining(['missing 1', 'retired 1', 'price 0', 'unasked 0']));
    expect(listed()).toBe(false);
    expect(() => models.require(['gpt-6.2-sol'], new Date('2026-11-24T12:30:00Z'))).toThrow(
      'gpt-6.2-sol was discontinued on 2026-11-20',
    );
    await pass(WEEK_MS - (Date.parse('2026-11-24T12:10:00.000Z') % WEEK_MS) - 1);
    expect(requests).toHaveLength(1);
    await pass(5 * MINUTE_MS + 1, 2);
    expect(requests).toHaveLength(2);
    await service.beforeApplicationShutdown();
  });

  test.each([
    ['retired', '2027-01-31', '2026-11-24'],
    ['retired', '2026-11-20', '2026-11-20'],
    ['retired', undefined, '2026-11-24'],
    ['deprecated', '2027-01-31', undefined],
    ['deprecated', '2026-11-20', undefined],
  ])('lets a model go that its vendor calls %s with the end %s: from %s on', async (lifecycle, end, gone) => {
    const [{ id, vendorModel }] = shipped.filter(({ vendor }) => vendor === 'anthropic') as [(typeof shipped)[number]];
    const { models, pass, service } = await started(
      { data: [{ id: vendorModel, lifecycle, retires_at: end }] },
      { ANTHROPIC_API_KEY: 'sk-ant-0123456789' },
      'anthropic',
    );
    await pass(10 * MINUTE_MS, 1);
    expect(models.list().some(({ model }) => model.id === id)).toBe(gone === undefined);
    if (gone !== undefined)
      expect(() => models.require([id], new Date('2026-11-24T12:30:00Z'))).toThrow(`${id} was discontinued on ${gone}`);
    await service.beforeApplicationShutdown();
  });

  test('keeps every model on the list where the vendor gives no list, and counts it', async () => {
    const { models, findings, pass, service } = await started({ data: 'none' });
    const before = models.list().length;
    await pass(10 * MINUTE_MS, 1);
    expect(await findings()).toContain('unasked 1');
    expect(models.list()).toHaveLength(before);
    await service.beforeApplicationShutdown();
  });

  test.each([
    ['without a key', {}],
    ['after a stop', { OPENAI_API_KEY: 'sk-0123456789' }],
  ])('asks nothing %s', async (_, variables) => {
    const { requests, pass, service } = await started({ data: listOf() }, { ...variables, SIMULATOR: 'on' });
    if ('OPENAI_API_KEY' in variables) await service.beforeApplicationShutdown();
    await pass(2 * WEEK_MS);
    expect(requests).toHaveLength(0);
  });
});
