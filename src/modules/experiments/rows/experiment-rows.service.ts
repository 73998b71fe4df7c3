import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { paginate, type Page } from '../../../common/page';
import { DatasetsService } from '../../datasets/datasets.service';
import { EvalsService } from '../../evals/evals.service';
import { readCommand } from '../../runs/job-command';
import { isErased, type Experiment } from '../experiment.entity';
import { ExperimentsRepository } from '../experiments.repository';
import { ExperimentsService } from '../experiments.service';
import { evalIdsOf, rowView, type ListedRow } from './row-view';
import type { ExperimentRowDto, RowFilter } from './rows.dto';

/** Rows of an export that are listed at once. Their texts are read in parts of 4 MB. */
const EXPORT_PAGE = 100;

/** Reads the rows of experiments with their texts and answers. */
@Injectable()
export class ExperimentRowsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly experiments: ExperimentsService,
    private readonly datasets: DatasetsService,
    private readonly evals: EvalsService,
  ) {}

  /** One page of rows; shorter than asked for if the texts are long. @throws ApiError not_found */
  async page(
    caller: Caller,
    id: string,
    { limit, after, state }: { limit: number; after: number; state?: RowFilter },
  ): Promise<Page<ExperimentRowDto>> {
    const experiment = await this.experiments.find(caller, id);
    const { items, next } = paginate(
      await this.repository.rows(id, { after, limit: limit + 1, state }),
      limit,
      ({ rowNo }) => String(rowNo),
    );
    const rows = await this.withTexts(experiment, items);
    return { items: rows, next: rows.length < items.length ? String(rows.at(-1)?.row_no) : next };
  }

  /** All rows, read on demand. @throws ApiError not_found, with the first row */
  async *all(caller: Caller, id: string, state: RowFilter | undefined): AsyncGenerator<ExperimentRowDto> {
    const experiment = await this.experiments.find(caller, id);
    let after = -1;
    for (;;) {
      let listed = await this.repository.rows(id, { after, limit: EXPORT_PAGE, state });
      after = listed.at(-1)?.rowNo ?? after;
      const isLast = listed.length < EXPORT_PAGE;
      while (listed.length > 0) {
        const rows = await this.withTexts(experiment, listed);
        yield* rows;
        listed = listed.slice(rows.length);
      }
      if (isLast) return;
    }
  }

  /** The first rows within the bounds of texts, at least one. */
  private async withTexts(experiment: Experiment, listed: readonly ListedRow[]): Promise<ExperimentRowDto[]> {
    const command = readCommand(experiment.spec.command);
    if (isErased(experiment)) return listed.map((row) => rowView(row, undefined, [], command));
    const texts = new Map(
      (
        await this.datasets.readRowsByNo(
          experiment.datasetId,
          listed.map(({ rowNo }) => rowNo),
        )
      ).map((row) => [row.no, row]),
    );
    const rows = texts.size === 0 ? listed : listed.slice(0, texts.size);
    const evals = await this.evals.answersOf(experiment, rows.map(evalIdsOf));
    return rows
      .slice(0, evals.length)
      .map((row, index) => rowView(row, texts.get(row.rowNo), evals[index] ?? [], command));
  }
}
