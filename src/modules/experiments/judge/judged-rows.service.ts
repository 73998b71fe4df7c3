import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../../common/errors';
import type { Caller } from '../../auth/caller';
import { DatasetsService } from '../../datasets/datasets.service';
import type { StoredRow } from '../../datasets/dataset-row.entity';
import { fillPrompt } from '../../execution/prompt';
import type { ExperimentView } from '../experiment.types';
import { ExperimentsService } from '../experiments.service';
import { filledText, NO_ROW_TEXTS, rowCommand } from '../row-command';
import type { ExperimentRowDto } from '../rows/rows.dto';
import { decoyOf, judgePrompt, markOf, questionOf } from './judge-prompt';
import { placeOf, type JudgePlace, type JudgeSpec } from './judge-spec';

/** Rows that are read at once, as judges come to them in order. */
const READ_ROWS = 8;
/** Characters of the rows that are kept for the next judgments of them. */
const MAX_KEPT_CHARACTERS = 16_777_216;
/** Longer than the judgments of a row are apart. Texts of an erased experiment are gone after it, too. */
const KEPT_MS = 60_000;

/** The texts of a judged row. */
export interface JudgedRow {
  rowId: string;
  group: string | null;
  /** The prompt as the models had it. */
  question: string;
  expected: string | null;
  /** With the texts of the row. */
  criterion: string;
  /** The answers of the first sample; a model without one is absent. */
  answers: ReadonlyMap<string, string>;
}

/** The experiment of judges that reads rows. */
export interface JudgesExperiment {
  id: string;
  userId: string;
  judge: JudgeSpec;
}

/** Reads judged rows, and writes the rows of experiments of judges. */
@Injectable()
export class JudgedRowsService {
  private readonly rows = new LRUCache<string, JudgedRow>({
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: ({ question, answers }) =>
      [...answers.values()].reduce((sum, { length }) => sum + length, 1 + question.length),
    ttl: KEPT_MS,
    ttlAutopurge: true,
  });

  constructor(
    private readonly experiments: ExperimentsService,
    private readonly datasets: DatasetsService,
  ) {}

  /** A row with its answers; undefined where its texts are gone, or it was not run. @throws ApiError not_found */
  async read(owner: Pick<Caller, 'userId'>, spec: JudgeSpec, rowNo: number): Promise<JudgedRow | undefined> {
    const key = `${spec.of} ${rowNo} ${spec.criterion}`;
    if (!this.rows.has(key)) {
      const rows = await this.readFrom(owner, spec, rowNo);
      // Kept at once: a row that is evicted meanwhile is read again, and no reader waits for another. A missing answer may
      // still come, by a retry.
      for (const [no, row] of rows)
        if (spec.judged.every((model) => row.answers.has(model)))
          this.rows.set(`${spec.of} ${no} ${spec.criterion}`, row);
      return rows.get(rowNo);
    }
    return this.rows.get(key);
  }

  /** The rows of an experiment of judges from a number on, in the form of rows of a data set. */
  async write({ id, userId, judge }: JudgesExperiment, from: number, count: number): Promise<StoredRow[]> {
    const written: StoredRow[] = [];
    for (let no = from; no < from + count; no++) {
      const place = placeOf(judge, no);
      const row = await this.read({ userId }, judge, place.row).catch(refusalOf);
      written.push(storedRow(no, { id, judge, place, row }));
    }
    return written;
  }

  private async readFrom(
    owner: Pick<Caller, 'userId'>,
    spec: JudgeSpec,
    from: number,
  ): Promise<Map<number, JudgedRow>> {
    const view = await this.experiments.get(owner, spec.of);
    const [{ items }, texts] = await Promise.all([
      this.experiments.rows(owner, spec.of, { after: from - 1, limit: READ_ROWS }),
      this.datasets.readRows(view.experiment.datasetId, from, READ_ROWS),
    ]);
    const rows = new Map<number, JudgedRow>();
    for (const row of items) {
      const text = texts.find(({ no }) => no === row.row_no);
      try {
        if (text !== undefined) rows.set(row.row_no, judgedRow(view, spec, row, text));
      } catch (error) {
        // Of a row that was only read ahead, the problem is met again when its turn comes.
        if (row.row_no === from) throw error;
      }
    }
    return rows;
  }
}

/** A row that cannot be judged fails with a sentence, and the others go on. */
function refusalOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  throw error;
}

function judgedRow(
  { command }: ExperimentView,
  spec: JudgeSpec,
  { results }: ExperimentRowDto,
  text: StoredRow,
): JudgedRow {
  const { prompt, input, options } = rowCommand(
    { ...command, checks: [] },
    { ...text, checks: null },
    { experimentId: '', models: null },
  );
  const { rowId, group, expected } = text;
  return {
    rowId,
    group,
    question: questionOf(options.extra?.system, fillPrompt(prompt, input, options.extra?.history)),
    expected,
    criterion: filledText(spec.criterion, text),
    answers: new Map(
      results
        .filter(({ sample = 0, error }) => sample === 0 && error === undefined)
        .map(({ model, output }) => [model, output]),
    ),
  };
}

/** A judged row that lacks an answer becomes a row that fails with a sentence. */
function storedRow(
  no: number,
  { id, judge, place, row }: { id: string; judge: JudgeSpec; place: JudgePlace; row: JudgedRow | string | undefined },
): StoredRow {
  const { exam } = place;
  const models = place.item.map((index) => judge.judged[index] ?? '');
  const named = (rowId: string) => [rowId, ...(exam === undefined ? models : [`examination ${exam + 1}`])].join(' · ');
  const empty = { ...NO_ROW_TEXTS, no, line: no + 1 };
  if (row === undefined || typeof row === 'string')
    return { ...empty, rowId: named(`row ${place.row}`), refusal: row ?? 'The row has no answers.' };
  // Judgments of one row are alike: they are a cluster.
  const common = { ...empty, rowId: named(row.rowId), group: row.group ?? row.rowId };
  const missing = models.find((model) => !row.answers.has(model));
  if (missing !== undefined) return { ...common, refusal: `${missing} gave no answer that could be judged.` };
  const answers = answersOf(
    judge,
    place,
    models.map((model) => row.answers.get(model) ?? ''),
  );
  return { ...common, input: judgePrompt({ ...row, mark: markOf(id, no), answers }, judge) };
}

/** The answers as the judge sees them: in their order, or in the examination beside a decoy or themselves. */
function answersOf(judge: JudgeSpec, { exam, isSwapped }: JudgePlace, answers: readonly string[]): string[] {
  const decoy = exam === undefined ? undefined : decoyOf(exam, judge, isSwapped ? 2 : 1);
  const [first = '', second = first] = exam === undefined ? answers : [decoy ?? answers[0], answers[0]];
  if (judge.kind === 'rubric') return [first];
  return isSwapped ? [second, first] : [first, second];
}
