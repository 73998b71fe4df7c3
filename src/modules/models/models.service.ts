import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Config, ConfigError } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import { baseModelId, effortOfArm, type ModelArm } from '../../common/model-arm';
import { ProviderRegistry } from '../providers/provider.registry';
import type { Vendor } from '../providers/provider';
import { hasEnded, priceAt, priceStepsFrom, type Model, type Price, type PriceStep } from './catalog';
import { freeModelsProblems, loadCatalog } from './load-catalog';
import { isSameModel } from './same-model';
import { suggestion } from './suggested-ids';

export interface PricedModel {
  model: Model;
  price: Price;
  /** True if the free quota covers this model. */
  isFree: boolean;
  /** The prices at the same instant of the models of this vendor that answer under a name. */
  pricesOf: (name: string) => Price[];
  /** Present where the caller wrote an effort behind the id. */
  arm?: ModelArm | undefined;
}

/** The available models during one minute of the clock. */
interface Snapshot {
  /** Minutes since the epoch. */
  minute: number;
  models: readonly PricedModel[];
  freeIds: readonly string[];
}

const MINUTE_MS = 60_000;

@Injectable()
export class ModelsService {
  private catalog: readonly Model[] = [];
  /** The catalog by id, with the ends of retired models. */
  private models: ReadonlyMap<string, Model> = new Map();
  private free: ReadonlySet<string> = new Set();
  /** By vendor and the vendor's name of the model, the UTC day on which it was retired. */
  private readonly retired = new Map<Vendor, ReadonlyMap<string, string>>();
  private snapshot: Snapshot | undefined;

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    this.reload();
  }

  /**
   * Reads the catalog again, all or nothing. Evals that run keep the models and prices with which they started. @throws
   * CatalogError, ConfigError
   */
  reload(): void {
    const catalog = loadCatalog(this.config).sort(byProviderThenId);
    const problems = freeModelsProblems(this.config, catalog);
    if (problems.length > 0) throw new ConfigError(problems);
    this.catalog = catalog;
    this.free = new Set(this.config.FREE_MODELS ?? catalog.filter((model) => model.free).map((model) => model.id));
    this.applyRetirements();
  }

  /** The whole catalog, also the models that cannot be called. */
  all(): readonly Model[] {
    return this.catalog;
  }

  /**
   * Replaces the models of a vendor that it calls retired: its own names, and the UTC days from which on they are
   * neither listed nor called.
   */
  setRetired(vendor: Vendor, days: ReadonlyMap<string, string>): void {
    this.retired.set(vendor, days);
    this.applyRetirements();
  }

  /**
   * The available models, sorted by provider and then by id; the same array until the minute ends, so that callers can
   * cache by identity.
   */
  list(): readonly PricedModel[] {
    return this.currentSnapshot().models;
  }

  /**
   * The models with those ids, in that order, with the prices in effect at `at`. @throws ApiError unknown_model, which
   * names every unavailable id; invalid_request for an effort behind an @ that its model does not have. `visible`
   * limits which ids are suggested.
   */
  require(ids: readonly string[], at: Date, visible: readonly string[] | null = null): PricedModel[] {
    const models = ids.map((id) => this.findWithPrice(baseModelId(id), at));
    const unknown = ids.filter((_, index) => models[index] === undefined);
    if (unknown.length > 0) {
      throw new ApiError('unknown_model', {
        message: `${this.explain(unknown, at, visible)}; GET /api/v1/models lists the available models.`,
        param: `models[${ids.findIndex((id) => id === unknown[0])}]`,
        details: { unknown_models: unknown },
      });
    }
    return models.flatMap((priced, index) =>
      priced === undefined ? [] : withEffort(priced, ids[index] ?? '', `models[${index}]`),
    );
  }

  freeIds(): readonly string[] {
    return this.currentSnapshot().freeIds;
  }

  /**
   * The prices of a model from the day of `at` on, whether or not its vendor can be called; none when the catalog knows
   * no such model or its end has come.
   */
  priceSteps(id: string, at: Date): PriceStep[] {
    const model = this.models.get(baseModelId(id));
    return model === undefined ? [] : priceStepsFrom(model, at);
  }

  private applyRetirements(): void {
    this.models = new Map(
      this.catalog.map((model) => {
        const day = this.retired.get(model.vendor)?.get(model.vendorModel);
        return [model.id, day === undefined ? model : { ...model, deprecation: { ...model.deprecation, on: day } }];
      }),
    );
    this.snapshot = undefined;
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

  private explain(ids: readonly string[], at: Date, visible: readonly string[] | null): string {
    const ended = [...new Set(ids.flatMap((id) => this.models.get(baseModelId(id)) ?? []))].filter((model) =>
      hasEnded(model, at),
    );
    const others = ids.filter((id) => !ended.some((model) => model.id === baseModelId(id)));
    const known = this.list()
      .map(({ model }) => model.id)
      .filter((id) => visible?.includes(id) ?? true);
    const named = others.map((id) => id + suggestion(id, known));
    return [
      ...(others.length > 0 ? [`Unknown or unavailable models: ${named.join(', ')}`] : []),
      ...ended.map(describeEnd),
    ].join('; ');
  }

  private findWithPrice(id: string, at: Date): PricedModel | undefined {
    const model = this.models.get(id);
    return model === undefined ? undefined : this.withPrice(model, at);
  }

  private withPrice(model: Model, at: Date): PricedModel | undefined {
    const price = hasEnded(model, at) ? undefined : priceAt(model, at);
    if (price === undefined || !this.providers.has(model.vendor)) return undefined;
    const { catalog } = this;
    return {
      model,
      price,
      isFree: this.free.has(model.id),
      pricesOf: (name) => pricesOf(catalog, model.vendor, name, at),
    };
  }
}

function withEffort(priced: PricedModel, id: string, param: string): PricedModel {
  const { id: base, reasoning } = priced.model;
  if (id === base) return priced;
  const effort = effortOfArm(id, reasoning?.efforts ?? []);
  if (effort !== undefined) return { ...priced, arm: { id, effort } };
  const efforts =
    reasoning === undefined
      ? `${base} takes no reasoning effort; write its id without an @`
      : `The efforts of ${base} are ${reasoning.efforts.join(', ')}`;
  throw new ApiError('invalid_request', {
    message: `${param} is ${id}, and there is no such effort. ${efforts}.`,
    param,
  });
}

function pricesOf(catalog: readonly Model[], vendor: Vendor, name: string, at: Date): Price[] {
  return catalog
    .filter((model) => model.vendor === vendor && isSameModel(name, model))
    .flatMap((model) => priceAt(model, at) ?? []);
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
