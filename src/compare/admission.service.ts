import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { LedgerService } from '../billing/ledger.service';
import type { ReservationNeed } from '../billing/reservation.types';
import { ChecksService } from '../checks/checks.service';
import { fillChecks } from '../checks/fill-checks';
import { ApiError } from '../common/errors';
import { Month } from '../common/month';
import type { StoredEval } from '../evals/evals.service';
import { ModelsService, type PricedModel } from '../models/models.service';
import type { CompareCommand } from './compare.types';
import { fillPrompt, type FilledPrompt } from './prompt';
import { totalMaxCost, quotesFor, type Quote } from './quote';
import { ReplaysService, type Queued } from './runs/replays.service';

/** A compare that may run, as far as can be said without touching money. */
export interface AdmittedCompare {
  models: readonly PricedModel[];
  prompt: FilledPrompt;
  quotes: readonly Quote[];
  need: ReservationNeed;
}

/** Looks at a compare before anything is spent: was it answered before, are its models known and allowed, is it cheap enough. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly models: ModelsService,
    private readonly billing: BillingService,
    private readonly ledger: LedgerService,
    private readonly replays: ReplaysService,
    private readonly checks: ChecksService,
  ) {}

  /** The eval that this command's Idempotency-Key stands for. @throws ApiError idempotency_key_reused, and as `ReplaysService.get` does */
  async findReplay(caller: Caller, command: CompareCommand): Promise<StoredEval | undefined> {
    const idempotency = idempotencyOf(command);
    const evalId = idempotency && (await this.billing.findReplay(caller, idempotency));
    return evalId === undefined ? undefined : this.replays.get(caller, evalId);
  }

  /** The replay of a compare that is to be queued. @throws ApiError as `findReplay` does */
  async findQueued(caller: Caller, command: CompareCommand): Promise<Queued | undefined> {
    const idempotency = idempotencyOf(command);
    const evalId = idempotency && (await this.billing.findReplay(caller, idempotency));
    return evalId === undefined ? undefined : this.replays.getQueued(caller, evalId);
  }

  /** @throws ApiError unknown_model, model_not_allowed, max_cost_exceeded, invalid_request for a check that cannot be used or is too long with the input, overloaded */
  async admit(caller: Caller, command: CompareCommand, startedAt: Date): Promise<AdmittedCompare> {
    const models = this.models.require(command.models, startedAt);
    refuseForbidden(caller, command.models);
    const prompt = fillPrompt(command.prompt, command.input);
    const quotes = quotesFor(models, prompt.text, command.options);
    const maxCost = totalMaxCost(quotes, command.samples);
    if (command.maxCost !== undefined && maxCost.compare(command.maxCost) > 0) {
      throw new ApiError('max_cost_exceeded', { param: 'options.max_cost_usd', details: { most_cost_usd: maxCost, max_cost_usd: command.maxCost } });
    }
    if (command.checks.length > 0) await this.checks.refuseUnusable(caller.userId, fillChecks(command.checks, { input: command.input }));
    // The free quota covers plain compares.
    const wantsFree = command.samples === 1 && models.every(({ isFree }) => isFree);
    return { models, prompt, quotes, need: { startedAt, wantsFree, maxCost, idempotency: idempotencyOf(command) } };
  }

  /** Free evals the caller has left in the month of an instant, running ones not counted. */
  async freeEvalsLeft(caller: Caller, at: Date): Promise<number> {
    return (await this.ledger.month(caller, Month.of(at))).freeEvalsRemaining;
  }
}

/** An answer to a bad request stays small; GET /models lists all. */
const MAX_MODELS_TOLD = 20;

function refuseForbidden({ allowedModels }: Caller, ids: readonly string[]): void {
  const forbidden = ids.findIndex((id) => allowedModels !== null && !allowedModels.includes(id));
  if (forbidden >= 0) throw new ApiError('model_not_allowed', { param: `models[${forbidden}]`, details: { allowed_models: allowedModels?.slice(0, MAX_MODELS_TOLD) } });
}

/** The fingerprint of an Idempotency-Key: everything that the caller asked for. */
export function idempotencyOf({ idempotencyKey: key, prompt, input, models, options, maxCost, samples, checks, rerunOf }: CompareCommand): ReservationNeed['idempotency'] {
  if (key === undefined) return undefined;
  // Optional members come last, so that compares without them keep their earlier fingerprint.
  const own = { ...(samples > 1 && { samples }), ...(checks.length > 0 && { checks }), ...(rerunOf !== undefined && { rerunOf }) };
  const more = Object.keys(own).length > 0 ? [own] : [];
  const request = JSON.stringify([prompt, input ?? null, models, options.temperature, options.maxTokens, maxCost?.toString() ?? null, ...more]);
  return { key, fingerprint: createHash('sha256').update(request).digest('hex') };
}
