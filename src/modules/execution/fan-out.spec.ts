import type { ChecksService } from '../checks/checks.service';
import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { loadCatalog } from '../models/load-catalog';
import type { PricedModel } from '../models/models.service';
import { ModelCallService } from '../providers/model-call.service';
import type { Completion, CompletionRequest, OnText, Provider } from '../providers/provider';
import { ProviderError } from '../providers/provider.error';
import { ProviderRegistry } from '../providers/provider.registry';
import { ThreadPoolService } from '../../platform/background/thread-pool.service';
import { TokenCounterService } from '../providers/tokens/token-counter.service';
import type { ActiveComparesService } from './active-compares.service';
import type { AdmittedCompare } from './admission.service';
import type { ActiveCompare } from './active-compare';
import type { CompareEvent } from './compare.types';
import { RoundsService } from './rounds.service';
import { TokenUsageService } from '../billing/token-usage.service';

const CONFIG = Config.read({
  DATABASE_URL: 'postgresql://db/mcs',
  ADMIN_API_KEY: 'operator-key-0123456789',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
});
const CATALOG = loadCatalog({ MODEL_CATALOG_FILE: undefined, LOCAL_MODELS: [] }).filter(
  ({ vendor }) => vendor === 'simulator',
);
const MODELS = CATALOG.slice(0, 2).map((model): PricedModel => ({
  model,
  price: model.prices[0] as PricedModel['price'],
  isFree: false,
  pricesOf: () => [],
}));
const USAGE = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0 };

/** A vendor whose answers the test gives, one for each call in the order of the models. */
class HandFed implements Provider {
  readonly vendor = 'simulator';
  readonly calls: { onText: OnText; answer: PromiseWithResolvers<Completion> }[] = [];

  async complete(_request: CompletionRequest, _signal: AbortSignal, onText: OnText): Promise<Completion> {
    const answer = Promise.withResolvers<Completion>();
    this.calls.push({ onText, answer });
    return answer.promise;
  }

  say(position: number, text: string): void {
    this.calls[position]?.onText(text);
  }

  end(position: number, text: string): void {
    this.calls[position]?.answer.resolve({ text, finishReason: 'stop', usage: USAGE });
  }
}

/** Lets everything happen that can happen without a vendor. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A round under way and the events it has reported so far. */
function begin(onResult: (position: number) => void = () => undefined): {
  vendor: HandFed;
  events: string[];
  running: Promise<unknown>;
} {
  const vendor = new HandFed();
  const events: string[] = [];
  const ids = MODELS.map(({ model }) => model.id);
  const onEvent = (event: CompareEvent) => {
    if (event.type === 'delta') events.push(`${ids.indexOf(event.model)} says ${event.text}`);
    if (event.type !== 'result-ready') return;
    onResult(event.result.position);
    events.push(`${event.result.position} ended`);
  };
  const compare = {
    command: { models: ids, samples: 1, options: { temperature: 0.7, isTemperatureGiven: false, maxTokens: 500 } },
    onEvent,
    vendorMs: 0,
    metrics: new Metrics(),
  } as unknown as ActiveCompare;
  const active = { beginRound: () => undefined } as unknown as ActiveComparesService;
  const rounds = new RoundsService(
    new ProviderRegistry([vendor]),
    new ModelCallService(CONFIG, new Clock(), new Metrics()),
    new TokenUsageService(
      new TokenCounterService(new ThreadPoolService(new Clock())),
      new Metrics(),
      CONFIG,
      new Clock(),
    ),
    {} as ChecksService,
    active,
  );
  return {
    vendor,
    events,
    running: rounds.callRounds(compare, {
      models: MODELS,
      prompt: { text: 'hello', warnings: [] },
    } as unknown as AdmittedCompare),
  };
}

describe('The calls of a round', () => {
  test('calls all models at once, before any of them has answered', async () => {
    const { vendor, running } = begin();
    expect(vendor.calls).toHaveLength(2);
    vendor.end(0, '');
    vendor.end(1, '');
    await running;
  });

  test('reports every event the moment it happens, whichever model comes first', async () => {
    const { vendor, events, running } = begin();
    vendor.say(1, 'b');
    vendor.say(0, 'a');
    vendor.say(1, 'c');
    expect(events).toEqual(['1 says b', '0 says a', '1 says c']);
    vendor.end(1, 'bc');
    await settle();
    expect(events.slice(3)).toEqual(['1 ended']);
    vendor.end(0, 'a');
    await running;
    expect(events.slice(4)).toEqual(['0 ended']);
  });

  test('continues with the others when one model fails', async () => {
    const { vendor, events, running } = begin();
    vendor.calls[0]?.answer.reject(new ProviderError('rejected'));
    await settle();
    expect(events).toEqual(['0 ended']);
    vendor.end(1, '');
    await running;
    expect(events).toEqual(['0 ended', '1 ended']);
  });

  test('ends only when every model has ended, even after a bug in the service', async () => {
    const { vendor, events, running } = begin((position) => {
      if (position === 0) throw new Error('our mistake');
    });
    let isOver = false;
    const over = running
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    vendor.end(0, '');
    await settle();
    expect(isOver).toBe(false);
    vendor.end(1, '');
    expect(await over).toMatchObject({ message: 'our mistake' });
    expect(events).toEqual(['1 ended']);
  });
});
