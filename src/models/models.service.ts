import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config, ConfigError } from '../config/config';
import { ApiError } from '../common/errors';
import { ProviderRegistry } from '../providers/provider.registry';
import { hasEnded, priceAt, priceStepsFrom, type Model, type Price, type PriceStep } from './catalog';
import { freeModelsProblems, loadCatalog } from './load-catalog';

/** A model with the prices in effect at one instant. */
export interface PricedModel {
  model: Model;
  price: Price;
  /** True if the free quota covers this model. */
  isFree: boolean;
}

/** The available models during one minute of the clock. */
interface Snapshot {
  /** Minutes since the epoch. */
  minute: number;
  models: readonly PricedModel[];
  freeIds: readonly string[];
}

const MINUTE_MS = 60_000;

/** Which models are available, and at which prices. */
@Injectable()
export class ModelsService {
  private readonly models: ReadonlyMap<string, Model>;
  private readonly free: ReadonlySet<string>;
  private snapshot: Snapshot | undefined;

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly clock: Clock,
    config: Config,
  ) {
    const models = loadCatalog(config).sort(byProviderThenId);
    this.models = new Map(models.map((model) => [model.id, model]));
    this.free = new Set(config.FREE_MODELS ?? models.filter((model) => model.free).map((model) => model.id));
    const problems = freeModelsProblems(config, models);
    if (problems.length > 0) throw new ConfigError(problems);
  }

  /** The available models, sorted by provider and then by id; the same array until the minute ends, so that callers can cache by identity. */
  list(): readonly PricedModel[] {
    return this.currentSnapshot().models;
  }

  /** The models with those ids, in that order, with the prices in effect at `at`. @throws ApiError unknown_model, which names every unavailable id */
  require(ids: readonly string[], at: Date): PricedModel[] {
    const models = ids.map((id) => this.findWithPrice(id, at));
    const unknown = ids.filter((_, index) => models[index] === undefined);
    if (unknown.length > 0) {
      throw new ApiError('unknown_model', {
        message: `${this.explain(unknown, at)}; GET /api/v1/models lists the available models.`,
        param: `models[${ids.findIndex((id) => id === unknown[0])}]`,
        details: { unknown_models: unknown },
      });
    }
    return models.filter((model) => model !== undefined);
  }

  /** The ids of the available models that the free quota covers. */
  freeIds(): readonly string[] {
    return this.currentSnapshot().freeIds;
  }

  /** The prices of a model from the day of `at` on, whether or not its vendor can be called; none when the catalog knows no such model or its end has come. */
  priceSteps(id: string, at: Date): PriceStep[] {
    const model = this.models.get(id);
    return model === undefined ? [] : priceStepsFrom(model, at);
  }

  private currentSnapshot(): Snapshot {
    const now = this.clock.now();
    // Prices start and end on whole minutes, so nothing changes within one.
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (this.snapshot?.minute !== minute) {
      const models = [...this.models.values()].flatMap((model) => this.withPrice(model, now) ?? []);
      this.snapshot = { minute, models, freeIds: models.filter(({ isFree }) => isFree).map(({ model }) => model.id) };
    }
    return this.snapshot;
  }

  private explain(ids: readonly string[], at: Date): string {
    const ended = ids.flatMap((id) => this.models.get(id) ?? []).filter((model) => hasEnded(model, at));
    const others = ids.filter((id) => !ended.some((model) => model.id === id));
    return [...(others.length > 0 ? [`Unknown or unavailable models: ${others.join(', ')}`] : []), ...ended.map(describeEnd)].join('; ');
  }

  private findWithPrice(id: string, at: Date): PricedModel | undefined {
    const model = this.models.get(id);
    return model === undefined ? undefined : this.withPrice(model, at);
  }

  private withPrice(model: Model, at: Date): PricedModel | undefined {
    const price = hasEnded(model, at) ? undefined : priceAt(model, at);
    return price !== undefined && this.providers.has(model.vendor) ? { model, price, isFree: this.free.has(model.id) } : undefined;
  }
}

function describeEnd({ id, deprecation }: Model): string {
  const { on = '', successor } = deprecation ?? {};
  return `${id} was discontinued on ${on}${successor === undefined ? '' : ` (successor: ${successor})`}`;
}

function byProviderThenId(left: Model, right: Model): number {
  return compare(left.provider, right.provider) || compare(left.id, right.id);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
