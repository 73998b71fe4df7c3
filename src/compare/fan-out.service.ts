import { Injectable } from '@nestjs/common';
import type { ResultWarning } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import type { OnText } from '../providers/provider';
import { ProviderRegistry } from '../providers/provider.registry';
import { ModelCall, type Outcome } from './model-call.service';
import { adapt, type AppliedParameters, type Options } from './parameters';
import type { FilledPrompt } from './prompt';

/** How one model ended, with what was really asked of it. */
export interface ModelOutcome {
  priced: PricedModel;
  outcome: Outcome;
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
export class FanOut {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly modelCall: ModelCall,
  ) {}

  /** Resolves when the last model has ended. */
  async run(models: readonly PricedModel[], prompt: FilledPrompt, options: Options, listener: FanOutListener): Promise<void> {
    const ends = await Promise.allSettled(models.map(async (priced, position) => {
      const outcome = await this.call(priced, prompt, options, (text) => listener.onText(position, text));
      listener.onOutcome(position, outcome);
    }));
    // Only our own mistakes get here, and even they wait for the other models: a run is over when nothing of it is under way any more.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async call(priced: PricedModel, prompt: FilledPrompt, options: Options, onText: OnText): Promise<ModelOutcome> {
    const { model } = priced;
    const applied = adapt(options, model);
    const request = {
      model: model.vendorModel,
      prompt: prompt.text,
      maxTokens: applied.maxTokens,
      temperature: applied.temperature,
      dialect: model.dialect,
    };
    const outcome = await this.modelCall.run(this.providers.get(model.vendor), request, onText);
    return { priced, outcome, applied, warnings: [...prompt.warnings, ...applied.warnings] };
  }
}
