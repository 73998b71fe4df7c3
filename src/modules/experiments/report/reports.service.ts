import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { isErased } from '../experiment.entity';
import { ExperimentDto } from '../experiment.dto';
import type { ExperimentView } from '../experiment.types';
import { ExperimentsService } from '../experiments.service';
import type { ExperimentRowDto } from '../rows/rows.dto';
import { DEFAULT_TOLERANCE, MAX_REPORTED_ROWS } from '../summary/comparison-query.dto';
import { SummariesService } from '../summary/summaries.service';
import { takenModel, type ReportParts, type SharedParts } from './render-report';

/** Reads what a report or a share shows of an experiment. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly summaries: SummariesService,
  ) {}

  /** With at most `rowCount` rows in which models differ. @throws ApiError rate_limited, overloaded */
  async reportOf(view: ExperimentView, terms: { tolerance: number; rowCount: number }): Promise<ReportParts> {
    return {
      ...(await this.partsOf(view, { ...terms, reader: view.experiment.userId })),
      answeredBy: await this.summaries.answeringModels(view),
    };
  }

  /**
   * At the tolerance of the decision; undefined for an erased experiment. `viewers` take separate turns.
   * @throws ApiError not_found, rate_limited, overloaded
   */
  async sharedPartsOf(
    owner: Pick<Caller, 'userId'>,
    id: string,
    { withTexts, viewers }: { withTexts: boolean; viewers: string },
  ): Promise<SharedParts | undefined> {
    const view = await this.experiments.get(owner, id);
    if (isErased(view.experiment)) return undefined;
    return this.partsOf(view, {
      tolerance: view.experiment.decision?.tolerance ?? DEFAULT_TOLERANCE,
      rowCount: withTexts ? MAX_REPORTED_ROWS : 0,
      reader: viewers,
    });
  }

  private async partsOf(
    view: ExperimentView,
    { tolerance, rowCount, reader }: { tolerance: number; rowCount: number; reader: string },
  ): Promise<SharedParts> {
    const { experiment } = view;
    const summary = await this.summaries.withRecommendation(reader, view, tolerance);
    const rows = rowCount === 0 || isErased(experiment) ? [] : await this.differingRows(view, rowCount);
    const taken = takenModel(experiment, summary);
    return {
      experiment: ExperimentDto.from(view),
      summary,
      rows: rows.toSorted((left, right) => Number(isFailing(right, taken)) - Number(isFailing(left, taken))),
    };
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
