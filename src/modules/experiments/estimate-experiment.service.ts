import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { Money } from '../../common/money';
import { EstimateService } from '../compare/estimate/estimate.service';
import { DatasetsService } from '../datasets/datasets.service';
import { totalMaxCost, type Quote } from '../execution/quote';
import { ratesFor } from '../models/catalog';
import { countedText } from '../providers/provider';
import { Z_OF_POWER } from '../statistics/sample-size';
import { sixDigits } from '../statistics/rounding';
import { PricedRowsService } from './scheduling/priced-rows.service';
import { ExamineExperimentService } from './examine-experiment.service';
import type { ExperimentCommand } from './experiment.types';
import type { ExperimentEstimateDto } from './experiment.dto';

const PAGE_ROWS = 100;
/** The number of rows whose tokens are counted. */
const COUNTED_ROWS = 50;

/** Estimates the cost of experiments, without calling a vendor. */
@Injectable()
export class EstimateExperimentService {
  constructor(
    private readonly examination: ExamineExperimentService,
    private readonly priced: PricedRowsService,
    private readonly datasets: DatasetsService,
    private readonly estimates: EstimateService,
    private readonly billing: BillingService,
  ) {}

  /** @throws ApiError what `ExamineExperimentService` refuses */
  async estimate(caller: Caller, experiment: ExperimentCommand): Promise<ExperimentEstimateDto> {
    const { rows, models } = await this.examination.examine(caller, experiment);
    const { command, datasetId, maxCost } = experiment;
    let [most, likely, counted] = [Money.zero, Money.zero, 0];
    for (let from = 0; from < rows; from += PAGE_ROWS) {
      for (const row of await this.datasets.readRows(datasetId, from, Math.min(PAGE_ROWS, rows - from))) {
        const { quotes, text } = this.priced.quotesOf(command, row, models);
        most = most.plus(totalMaxCost(quotes, command.samples));
        if (counted >= COUNTED_ROWS) continue;
        counted += 1;
        const inputTokens = await this.estimates.countTokens(
          countedText({ prompt: text, system: command.options.extra?.system }),
        );
        likely = likely.plus(Money.sum(quotes.map((quote) => likelyCost(quote, inputTokens))));
      }
      // Quotes of a large data set take seconds; other requests go on meanwhile.
      await turn();
    }
    return {
      rows,
      calls: rows * models.length * command.samples,
      likely_cost_usd: counted === 0 ? Money.zero : likely.times(String(rows * command.samples)).dividedBy(counted),
      most_cost_usd: most,
      most_charge_usd: this.billing.chargeOf(most, false),
      fits_cap: maxCost === undefined ? null : most.compare(maxCost) <= 0,
      detectable_difference:
        models.length > 1 && command.checks.length > 0
          ? sixDigits(Math.min(1, Z_OF_POWER * Math.sqrt(0.5 / rows)))
          : null,
    };
  }
}

/** The counted input, and half of the output that is allowed. */
function likelyCost({ priced: { price }, maxTokens, maxCost }: Quote, inputTokens: number): Money {
  const { input, output } = ratesFor(price, inputTokens);
  const likely = input.perMillion(inputTokens).plus(output.perMillion(Math.ceil(maxTokens / 2)));
  return likely.compare(maxCost) < 0 ? likely : maxCost;
}
