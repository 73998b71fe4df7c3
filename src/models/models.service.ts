import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config, ConfigError } from '../common/config';
import { ApiError } from '../common/errors';
import { ProviderRegistry } from '../providers/provider.registry';
import { hasEnded, priceAt, type Model, type Price } from './catalog';
import { loadCatalog } from './load-catalog';

/** A model together with the prices that hold for the eval at hand. */
export interface PricedModel {
  model: Model;
  price: Price;
  /** Whether the free quota covers it. */
  isFree: boolean;
}

/** What can be called within one minute of the clock. */
interface Snapshot {
  minute: number;
  models: readonly PricedModel[];
  freeIds: readonly string[];
}

const MINUTE_MS = 60_000;

/** What can be called now, and at which price. */
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
    const unknown = [...this.free].filter((id) => !this.models.has(id));
    if (unknown.length > 0) throw new ConfigError([`FREE_MODELS: the catalog has no model with the id ${unknown.join(', ')}`]);
  }

  /** The models that can be called now, by provider and then by id; the same object until a minute has passed. */
  list(): readonly PricedModel[] {
    return this.now().models;
  }

  /** The models with those ids, in that order, at the prices of `at`. @throws ApiError unknown_model naming each that cannot be called */
  require(ids: readonly string[], at: Date): PricedModel[] {
    const models = ids.map((id) => this.pricedById(id, at));
    const unknown = ids.filter((_, index) => models[index] === undefined);
    if (unknown.length > 0) {
      throw new ApiError('unknown_model', {
        message: `${this.reasons(unknown, at)}; GET /api/v1/models lists the models that can be called.`,
        param: `models[${ids.findIndex((id) => id === unknown[0])}]`,
        details: { unknown_models: unknown },
      });
    }
    return models.filter((model) => model !== undefined);
  }

  /** The ids of the callable models that the free quota covers. */
  freeIds(): readonly string[] {
    return this.now().freeIds;
  }

  private now(): Snapshot {
    const now = this.clock.now();
    // Prices begin and end on whole minutes, so within one nothing changes.
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (this.snapshot?.minute !== minute) {
      const models = [...this.models.values()].flatMap((model) => this.priced(model, now) ?? []);
      this.snapshot = { minute, models, freeIds: models.filter(({ isFree }) => isFree).map(({ model }) => model.id) };
    }
    return this.snapshot;
  }

  private reasons(ids: readonly string[], at: Date): string {
    const ended = ids.flatMap((id) => this.models.get(id) ?? []).filter((model) => hasEnded(model, at));
    const others = ids.filter((id) => !ended.some((model) => model.id === id));
    return [...(others.length > 0 ? [`Unknown or not callable now: ${others.join(', ')}`] : []), ...ended.map(endOf)].join('; ');
  }

  private pricedById(id: string, at: Date): PricedModel | undefined {
    const model = this.models.get(id);
    return model === undefined ? undefined : this.priced(model, at);
  }

  private priced(model: Model, at: Date): PricedModel | undefined {
    const price = hasEnded(model, at) ? undefined : priceAt(model, at);
    return price !== undefined && this.providers.has(model.vendor) ? { model, price, isFree: this.free.has(model.id) } : undefined;
  }
}

function endOf({ id, deprecation }: Model): string {
  const { on = '', successor } = deprecation ?? {};
  return `${id} ended on ${on}${successor === undefined ? '' : `, its successor is ${successor}`}`;
}

function byProviderThenId(left: Model, right: Model): number {
  return compare(left.provider, right.provider) || compare(left.id, right.id);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
