import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { hasScope, refuseWithoutScopes } from '../auth/scopes';
import { BillingService } from '../billing/billing.service';
import { LedgerService } from '../billing/ledger.service';
import type { ReservationNeed } from '../billing/reservation.types';
import { ChecksService } from '../checks/checks.service';
import { fillChecks } from '../checks/fill-checks';
import { ApiError } from '../../common/errors';
import { baseModelId } from '../../common/model-arm';
import type { Money } from '../../common/money';
import { Month } from '../../common/month';
import { EvalsService, type StoredEval } from '../evals/evals.service';
import { ModelsService, type PricedModel } from '../models/models.service';
import type { CompareCommand } from './compare.types';
import { idempotencyOf } from './idempotency';
import { fillPrompt, type FilledPrompt } from './prompt';
import { totalMaxCost, quotesFor, type Quote } from './quote';

/** A compare that passed every test but that of money. */
export interface AdmittedCompare {
  models: readonly PricedModel[];
  prompt: FilledPrompt;
  /** The quote of each model, computed when it is asked for. */
  quotes: () => readonly Quote[];
  need: ReservationNeed;
}

/**
 * Decides before anything is spent: is there an earlier answer, are the models known and allowed, is the cost within
 * the limit.
 */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly models: ModelsService,
    private readonly billing: BillingService,
    private readonly ledger: LedgerService,
    private readonly evals: EvalsService,
    private readonly checks: ChecksService,
  ) {}

  /**
   * The stored eval of this command's Idempotency-Key. @throws ApiError idempotency_key_reused, and as `getReplay` does
   */
  async findReplay(caller: Caller, command: CompareCommand): Promise<StoredEval | undefined> {
    const evalId = await this.evalOfKey(caller, command);
    return evalId === undefined ? undefined : this.getReplay(caller, evalId);
  }

  /**
   * The id of the eval of this command's Idempotency-Key; a job may still have to make it. @throws ApiError
   * idempotency_key_in_use, idempotency_key_reused
   */
  async evalOfKey(caller: Caller, command: CompareCommand): Promise<string | undefined> {
    const idempotency = idempotencyOf(command);
    return idempotency && this.billing.findReplay(caller, idempotency);
  }

  /**
   * The eval of an Idempotency-Key by its id.
   * @throws ApiError idempotency_key_in_use while a job still has to make it, eval_erased, insufficient_scope if
   * another key made it and this one may not read evals
   */
  async getReplay(caller: Caller, evalId: string): Promise<StoredEval> {
    const stored = await this.evals.getForIdempotencyKey(caller, evalId);
    if (!hasScope(caller.scopes, 'evals:read') && !(await this.billing.isChargedBy(caller.keyId, evalId)))
      refuseWithoutScopes(caller.scopes, 'evals:read');
    return stored;
  }

  /**
   * @throws ApiError unknown_model, model_not_allowed, max_cost_exceeded, invalid_request for a check that cannot be
   * used or is too long with the input, overloaded
   */
  async admit(caller: Caller, command: CompareCommand, startedAt: Date): Promise<AdmittedCompare> {
    const models = this.models.require(command.models, startedAt, caller.allowedModels);
    refuseForbidden(caller, command.models);
    const prompt = filledPrompt(command);
    const quotes = () => quotesFor(models, prompt, command.options);
    const maxCost = () => totalMaxCost(quotes(), command.samples);
    if (command.maxCost !== undefined) refuseAbove(command.maxCost, maxCost());
    if (command.checks.length > 0 && command.experimentId === undefined)
      await this.checks.refuseUnusable(caller.userId, fillChecks(command.checks, { input: command.input }));
    const format = command.options.extra?.response_format;
    if (format?.type === 'json_schema')
      await this.checks.refuseUnusableSchema(caller.userId, format.schema, 'options.response_format.schema');
    // The free quota covers plain compares.
    const wantsFree =
      command.samples === 1 && command.experimentId === undefined && models.every(({ isFree }) => isFree);
    return { models, prompt, quotes, need: { startedAt, wantsFree, maxCost, idempotency: idempotencyOf(command) } };
  }

  /** Free evals the caller has left in the month of an instant, running ones not counted. */
  async freeEvalsLeft(caller: Caller, at: Date): Promise<number> {
    return (await this.ledger.month(caller, Month.of(at))).freeEvalsRemaining;
  }
}

/** An answer to a bad request stays small; GET /models lists all. */
const MAX_MODELS_TOLD = 20;

/** The prompt of a row that was filled in before may have an {input} of the row's own text. */
function filledPrompt({ prompt, input, experimentId, options }: CompareCommand): FilledPrompt {
  const history = options.extra?.history;
  return experimentId !== undefined && input === undefined
    ? { text: prompt, history, warnings: [] }
    : fillPrompt(prompt, input, history);
}

function refuseAbove(limit: Money, maxCost: Money): void {
  if (maxCost.compare(limit) > 0)
    throw new ApiError('max_cost_exceeded', {
      param: 'options.max_cost_usd',
      details: { most_cost_usd: maxCost, max_cost_usd: limit },
    });
}

/** Refuses models that a key may not call. @throws ApiError model_not_allowed */
export function refuseForbidden({ allowedModels }: Caller, ids: readonly string[]): void {
  const forbidden = ids.findIndex((id) => allowedModels !== null && !allowedModels.includes(baseModelId(id)));
  if (forbidden >= 0)
    throw new ApiError('model_not_allowed', {
      param: `models[${forbidden}]`,
      details: { allowed_models: allowedModels?.slice(0, MAX_MODELS_TOLD) },
    });
}
