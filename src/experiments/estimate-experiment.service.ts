import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { ApiError } from '../common/errors';
import { Money } from '../common/money';
import { EstimateService } from '../compare/estimate/estimate.service';
import { DatasetsService } from '../datasets/datasets.service';
import { quotesFor, totalMaxCost, type Quote } from '../execution/quote';
import { fillPrompt } from '../execution/prompt';
import { countedText } from '../providers/provider';
import { ratesFor } from '../models/catalog';
import { ModelsService, type PricedModel } from '../models/models.service';
import type { ExperimentCommand, ExperimentEstimate, NumberedRow } from './experiment.types';
import { ExperimentsService } from './experiments.service';
import { rowCommand } from './row-command';
import { Z_OF_POWER } from '../statistics/sample-size';

const PAGE_ROWS = 100;
/** The number of rows whose tokens are counted. */
const COUNTED_ROWS = 50;

/** Estimates the cost of experiments, without calling a vendor. */
@Injectable()
export class EstimateExperimentService {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly datasets: DatasetsService,
    private readonly estimates: EstimateService,
    private readonly models: ModelsService,
    private readonly billing: BillingService,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError what `ExperimentsService.examine` refuses */
  async estimate(caller: Caller, experiment: ExperimentCommand): Promise<ExperimentEstimate> {
    const { rows } = await this.experiments.examine(caller, experiment);
    const { command, datasetId, maxCost } = experiment;
    const models = this.models.require(command.models, this.clock.now(), caller.allowedModels);
    let [most, likely, counted] = [Money.zero, Money.zero, 0];
    for (let from = 0; from < rows; from += PAGE_ROWS) {
      for (const row of await this.datasets.readRows(datasetId, from, Math.min(PAGE_ROWS, rows - from))) {
        const quotes = this.quotesOf(experiment, row, models);
        most = most.plus(totalMaxCost(quotes.quotes, command.samples));
        if (counted >= COUNTED_ROWS) continue;
        counted += 1;
        const inputTokens = await this.estimates.countTokens(countedText({ prompt: quotes.text, system: command.options.extra?.system }));
        likely = likely.plus(Money.sum(quotes.quotes.map((quote) => likelyCost(quote, inputTokens))).times(String(command.samples)));
      }
      // Quotes of a large data set take seconds; other requests go on meanwhile.
      await turn();
    }
    return {
      rows,
      calls: rows * models.length * command.samples,
      likelyCost: counted === 0 ? Money.zero : likely.times(String(rows)).dividedBy(counted),
      mostCost: most,
      mostCharge: this.billing.chargeOf(most, false),
      fitsCap: maxCost === undefined ? null : most.compare(maxCost) <= 0,
      detectableDifference: models.length > 1 && command.checks.length > 0 ? Z_OF_POWER * Math.sqrt(0.5 / rows) : null,
    };
  }

  private quotesOf({ command }: ExperimentCommand, row: NumberedRow, models: readonly PricedModel[]): { quotes: Quote[]; text: string } {
    try {
      const { prompt, input } = rowCommand(command, row, { experimentId: '', models: null });
      const text = input === undefined ? prompt : fillPrompt(prompt, input).text;
      return { quotes: quotesFor(models, text, command.options), text };
    } catch (error) {
      // A row that is too long fails without a call.
      if (error instanceof ApiError) return { quotes: [], text: '' };
      throw error;
    }
  }
}

/** The input as it was counted, and half of the output that is allowed. */
function likelyCost({ priced: { price }, maxTokens, maxCost }: Quote, inputTokens: number): Money {
  const { input, output } = ratesFor(price, inputTokens);
  const likely = input.perMillion(inputTokens).plus(output.perMillion(Math.ceil(maxTokens / 2)));
  return likely.compare(maxCost) < 0 ? likely : maxCost;
}
