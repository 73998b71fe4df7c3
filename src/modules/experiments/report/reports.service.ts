import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { EvalsService } from '../../evals/evals.service';
import { isErased } from '../experiment.entity';
import { ExperimentDto } from '../experiment.dto';
import type { ExperimentView } from '../experiment.types';
import { ExperimentsRepository } from '../experiments.repository';
import { ExperimentsService } from '../experiments.service';
import type { ExperimentRowDto } from '../rows/rows.dto';
import { DEFAULT_TOLERANCE, MAX_REPORTED_ROWS } from '../summary/comparison-query.dto';
import { recommend } from '../summary/recommendation';
import { LISTED_ROWS, SummariesService } from '../summary/summaries.service';
import type { ReportParts } from './render-report';

/** Reads what a report or a share shows of an experiment. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly repository: ExperimentsRepository,
    private readonly summaries: SummariesService,
    private readonly evals: EvalsService,
  ) {}

  /** With at most `rowCount` rows in which models differ. @throws ApiError rate_limited, overloaded */
  async partsOf(
    view: ExperimentView,
    { tolerance, rowCount }: { tolerance: number; rowCount: number },
  ): Promise<ReportParts> {
    const { experiment } = view;
    const figures = await this.summaries.summary(experiment.userId, view);
    const recommendation = recommend(figures, tolerance);
    const answeredBy = await this.evals.answeringModels(
      experiment,
      await this.repository.evalIds(experiment.id, LISTED_ROWS),
    );
    const rows = rowCount === 0 || isErased(experiment) ? [] : await this.differingRows(view, rowCount);
    const taken = experiment.decision?.model ?? recommendation?.model;
    return {
      experiment: ExperimentDto.from(view),
      summary: { ...figures, recommendation },
      answeredBy,
      rows: rows.toSorted((left, right) => Number(isFailing(right, taken)) - Number(isFailing(left, taken))),
    };
  }

  /** At the tolerance of the decision; undefined for an erased experiment. @throws ApiError as `partsOf` does */
  async sharedPartsOf(owner: Pick<Caller, 'userId'>, id: string, withTexts: boolean): Promise<ReportParts | undefined> {
    const view = await this.experiments.get(owner, id);
    if (isErased(view.experiment)) return undefined;
    return this.partsOf(view, {
      tolerance: view.experiment.decision?.tolerance ?? DEFAULT_TOLERANCE,
      rowCount: withTexts ? MAX_REPORTED_ROWS : 0,
    });
  }

  private async differingRows({ experiment }: ExperimentView, limit: number): Promise<ExperimentRowDto[]> {
    const { items } = await this.experiments.rows(experiment, experiment.id, { after: -1, limit, state: 'differing' });
    return items;
  }
}

/** True if the model that is taken failed in the row. */
function isFailing({ results }: ExperimentRowDto, taken: string | null | undefined): boolean {
  return results.some(({ model, passed }) => model === taken && passed === false);
}
