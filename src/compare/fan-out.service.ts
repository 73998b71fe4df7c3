import { Injectable } from '@nestjs/common';
import type { ResultWarning } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import { ProviderRegistry } from '../providers/provider.registry';
import { merge } from './merge';
import { ModelCall, type Outcome } from './model-call.service';
import { adapt, type AppliedParameters, type Options } from './parameters';
import type { FilledPrompt } from './prompt';

/** What is told of a model while the run goes on: a piece of its text, or how it ended. */
export type FanOutEvent = { type: 'delta'; text: string } | { type: 'outcome'; outcome: ModelOutcome };

/** How one model ended, with what was really asked of it. */
export interface ModelOutcome {
  priced: PricedModel;
  outcome: Outcome;
  applied: AppliedParameters;
  warnings: ResultWarning[];
}

/** Calls all models of an eval at the same instant; none waits for another. */
@Injectable()
export class FanOut {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly modelCall: ModelCall,
  ) {}

  /** Yields events of all models as they come, each with the model's place in the request. */
  async *run(models: readonly PricedModel[], prompt: FilledPrompt, options: Options): AsyncGenerator<{ position: number; event: FanOutEvent }> {
    for await (const { source, item } of merge(models.map((priced) => this.call(priced, prompt, options)))) {
      yield { position: source, event: item };
    }
  }

  private async *call(priced: PricedModel, prompt: FilledPrompt, options: Options): AsyncGenerator<FanOutEvent> {
    const { model } = priced;
    const applied = adapt(options, model);
    const calls = this.modelCall.run(this.providers.get(model.vendor), {
      model: model.vendorModel,
      prompt: prompt.text,
      maxTokens: applied.maxTokens,
      temperature: applied.temperature,
      dialect: model.dialect,
    });
    for (let step = await calls.next(); ; step = await calls.next()) {
      if (step.done === true) {
        const warnings = [...prompt.warnings, ...applied.warnings];
        yield { type: 'outcome', outcome: { priced, outcome: step.value, applied, warnings } };
        return;
      }
      yield { type: 'delta', text: step.value };
    }
  }
}
