import { Injectable } from '@nestjs/common';
import type { ResultWarning } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import type { OnText } from '../providers/provider';
import { ProviderRegistry } from '../providers/provider.registry';
import { ModelCallService, type Answered, type Failed } from '../providers/model-call.service';
import { adaptParameters, type AppliedParameters, type CompareSettings } from './adapt-parameters';
import type { FilledPrompt } from './prompt';
import type { SettledUsage } from './token-usage';
import { TokenUsageService } from './token-usage.service';

/** An answer and the counts it is charged by. */
export interface Counted extends Answered {
  usage: SettledUsage;
}

/** How one model ended, with what was really asked of it. */
export interface ModelOutcome {
  priced: PricedModel;
  outcome: Counted | Failed;
  applied: AppliedParameters;
  warnings: ResultWarning[];
}

/** Who is told of the models of an eval while it goes on, each by its place in the request. */
export interface FanOutListener {
  onText(position: number, text: string): void;
  onOutcome(position: number, outcome: ModelOutcome): void;
}

/** Calls all models of an eval at the same instant; none waits for another. */
@Injectable()
export class FanOutService {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly modelCall: ModelCallService,
    private readonly usages: TokenUsageService,
  ) {}

  /** Resolves when the last model has ended. */
  async run(models: readonly PricedModel[], prompt: FilledPrompt, options: CompareSettings, listener: FanOutListener): Promise<void> {
    const ends = await Promise.allSettled(models.map(async (priced, position) => {
      const outcome = await this.call(priced, prompt, options, (text) => listener.onText(position, text));
      listener.onOutcome(position, outcome);
    }));
    // Only our own mistakes get here, and even they wait for the other models: a run is over when nothing of it is under way any more.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
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
    const deadline = this.usages.begin(priced);
    const ended = await this.modelCall.run(this.providers.get(model.vendor), request, onText);
    // Counted only now that the time of the call is taken.
    const outcome = 'failure' in ended ? ended : { ...ended, usage: await this.usages.settle(priced, request, ended.completion, deadline) };
    return { priced, outcome, applied, warnings: [...prompt.warnings, ...applied.warnings] };
  }
}
