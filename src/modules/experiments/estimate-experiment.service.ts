import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { Money } from '../../common/money';
import { EstimateService } from '../compare/estimate/estimate.service';
import { likelyCost, totalMaxCost } from '../execution/quote';
import type { PricedModel } from '../models/models.service';
import { countedText } from '../providers/provider';
import { Z_OF_POWER } from '../statistics/sample-size';
import { sixDigits } from '../statistics/rounding';
import { PricedRowsService } from './scheduling/priced-rows.service';
import { ExamineExperimentService } from './examine-experiment.service';
import { JudgingEstimate } from './judge/judging-estimate';
import { EXAM_ROWS } from './judge/judge-spec';
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
    private readonly estimates: EstimateService,
    private readonly billing: BillingService,
  ) {}

  /** @throws ApiError what `ExamineExperimentService` refuses */
  async estimate(caller: Caller, experiment: ExperimentCommand): Promise<ExperimentEstimateDto> {
    const { rows, models, judges: priced } = await this.examination.examine(caller, experiment);
    const { command, datasetId, maxCost, spec } = experiment;
    const source = { id: '', userId: caller.userId, datasetId, spec };
    const judges = estimatesOf(experiment, priced);
    let [asked, likely, counted, inputTokens] = [Money.zero, Money.zero, 0, 0];
    for (let from = 0; from < rows; from += PAGE_ROWS) {
      for (const row of await this.priced.readRows(source, from, Math.min(PAGE_ROWS, rows - from))) {
        const { quotes, prompt } = this.priced.quotesOf(command, row, models);
        asked = asked.plus(totalMaxCost(quotes, command.samples));
        if (counted < COUNTED_ROWS)
          inputTokens = await this.estimates.countTokens(
            countedText({ prompt: prompt.text, system: command.options.extra?.system, history: prompt.history }),
          );
        const judging = judges.map((judge) => judge.add(prompt, row, inputTokens));
        if (counted >= COUNTED_ROWS) continue;
        counted += 1;
        const answering = Money.sum(quotes.map((quote) => likelyCost(quote, inputTokens)));
        likely = Money.sum([likely, answering.times(String(command.samples)), ...judging]);
      }
      // Quotes of a large data set take seconds; other requests go on meanwhile.
      await turn();
    }
    const most = Money.sum([asked, ...judges.flatMap((judge) => [judge.most, judge.examination])]);
    return {
      rows,
      calls: rows * models.length * command.samples + judges.length * (rows * models.length + EXAM_ROWS),
      likely_cost_usd: counted === 0 ? Money.zero : likely.times(String(rows)).dividedBy(counted),
      most_cost_usd: most,
      most_charge_usd: this.billing.chargeOf(most, false),
      fits_cap: maxCost === undefined ? null : most.compare(maxCost) <= 0,
      detectable_difference: models.length > 1 && command.checks.length > 0 ? detectableDifference(rows) : null,
    };
  }
}

/** The difference that this number of rows finds in 8 of 10 experiments, if half of the answers pass. */
function detectableDifference(rows: number): number {
  return sixDigits(Math.min(1, Z_OF_POWER * Math.sqrt(0.5 / rows)));
}

function estimatesOf(
  { command, spec: { rubrics = [] } }: ExperimentCommand,
  judges: readonly PricedModel[],
): JudgingEstimate[] {
  return rubrics.flatMap((rubric, index) => {
    const judge = judges[index];
    return judge === undefined ? [] : [new JudgingEstimate(judge, rubric, command)];
  });
}
