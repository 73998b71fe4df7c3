import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { ResultWarning } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import { ModelCallService, type Answered, type Failed } from '../providers/model-call.service';
import type { OnText } from '../providers/provider';
import type { ProviderError } from '../providers/provider.error';
import { ProviderRegistry } from '../providers/provider.registry';
import { adaptParameters, type AppliedParameters, type CompareSettings } from './adapt-parameters';
import type { FilledPrompt } from './prompt';
import type { BilledUsage } from './token-usage';
import { TokenUsageService } from './token-usage.service';

/** A successful call with the token counts it is billed by. */
export interface BillableCall extends Answered {
  usage: BilledUsage;
}

/** How the call of one model ended, and the parameters that were sent. */
export interface ModelOutcome {
  priced: PricedModel;
  outcome: BillableCall | Failed;
  applied: AppliedParameters;
  warnings: ResultWarning[];
  /** Milliseconds that the vendor was waited for, all attempts and pauses between them included. */
  vendorMs: number;
}

/** The outcome of a call that is not made. */
export function uncalled(priced: PricedModel, options: CompareSettings, failure: ProviderError): ModelOutcome {
  return { priced, outcome: { failure, attempts: 0, latencyMs: 0 }, applied: adaptParameters(options, priced.model), warnings: [], vendorMs: 0 };
}

/** Receives the progress of each model of an eval; `position` is its index in the request. */
export interface FanOutListener {
  onText(position: number, text: string): void;
  onOutcome(position: number, outcome: ModelOutcome): void;
}

/** Calls all models of an eval concurrently, once; none waits for another. */
@Injectable()
export class FanOutService {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly modelCall: ModelCallService,
    private readonly usages: TokenUsageService,
    private readonly clock: Clock,
  ) {}

  /** Resolves when every model has finished or failed. */
  async run(models: readonly PricedModel[], prompt: FilledPrompt, options: CompareSettings, listener: FanOutListener): Promise<void> {
    const settled = await Promise.allSettled(models.map(async (priced, position) => {
      const outcome = await this.call(priced, prompt, options, (text) => listener.onText(position, text));
      listener.onOutcome(position, outcome);
    }));
    // Vendor failures are outcomes, so a rejection is a bug of ours. Even then, wait for the other models: nothing of a finished run may still be in progress.
    for (const call of settled) if (call.status === 'rejected') throw call.reason;
  }

  private async call(priced: PricedModel, prompt: FilledPrompt, options: CompareSettings, onText: OnText): Promise<ModelOutcome> {
    const { model } = priced;
    const applied = adaptParameters(options, model);
    const request = {
      model: model.vendorModel,
      prompt: prompt.text,
      maxTokens: applied.maxTokens,
      temperature: applied.temperature,
      dialect: model.dialect,
    };
    const deadline = this.usages.start(priced);
    const begunMs = this.clock.monotonicMs();
    const ended = await this.modelCall.run(this.providers.get(model.vendor), request, onText);
    const vendorMs = this.clock.monotonicMs() - begunMs;
    // Tokens are counted after the call, so that counting does not add to its latency.
    const outcome = 'failure' in ended ? ended : { ...ended, usage: await this.usages.resolve(priced, request, ended.completion, deadline) };
    return { priced, outcome, applied, warnings: [...prompt.warnings, ...applied.warnings], vendorMs };
  }
}
