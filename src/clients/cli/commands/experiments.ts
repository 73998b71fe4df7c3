import type { Experiment, ExperimentRow, ExperimentRowQuery } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { errorOf } from '../junit';
import { firstOf } from '../lists';
import { progressWords } from '../progress';
import { numberOf } from '../request';
import { printComparison, printSummary } from '../summary';
import { oneLine, pluralize } from '../text';
import type { Table } from '../table';
import { follow, isFollowed, judgeOfExperiment, type FollowOptions } from './experiment-run';

const STATES = ['done', 'failed', 'missing', 'differing'] as const;

/** Options of `mcs experiment`. */
export interface ShowExperimentOptions extends FollowOptions {
  rows?: boolean;
  format?: string;
  state?: string;
}

/** Options of the changes of an experiment. */
export interface ChangeOptions extends CommonOptions {
  maxCost?: string;
  missing?: boolean;
}

/** mcs experiment: how far one is, and its summary on a terminal; or its rows, or its end. */
export async function experimentCommand(context: Context, id: string, options: ShowExperimentOptions): Promise<number> {
  const { mcs, terminal } = context;
  if (options.rows === true) return await rowsCommand(context, id, options);
  if (options.format !== undefined || options.state !== undefined)
    throw new UsageError('--format and --state need --rows.');
  const experiment = await mcs.experiments.get(id);
  if (isFollowed(options))
    return await follow(context, id, await judgeOfExperiment(context, options, experiment.models), options);
  if (options.json === true) terminal.printJson(experiment);
  else {
    printExperiment(terminal, experiment);
    if (terminal.isWatched && experiment.rows.done > 0) {
      const summary = await mcs.experiments.summary(id);
      terminal.print('');
      printSummary(terminal, summary);
    }
  }
  return EXIT.done;
}

/** mcs experiments: newest first. */
export async function experimentsCommand(
  { mcs, terminal }: Context,
  { number, json }: CommonOptions & { number: string },
): Promise<number> {
  const experiments = await firstOf(numberOf('--number', number), (query) => mcs.experiments.list(query));
  terminal.printList(
    json,
    { experiments },
    {
      head: ['experiment', 'state', 'name', 'rows', 'cost', 'created'],
      lines: experiments.map(({ experiment_id: id, state, name, rows, cost_usd: cost, created_at: created }) => [
        id,
        state,
        name ?? '',
        `${rows.done + rows.failed} of ${rows.total}`,
        terminal.amount(cost),
        terminal.time(created),
      ]),
      flexible: 2,
      optional: [5, 4],
    },
  );
  return EXIT.done;
}

/** mcs experiment pause, resume, cancel and retry. */
export async function changeCommand(
  { mcs, terminal }: Context,
  id: string,
  change: 'pause' | 'resume' | 'cancel' | 'retry',
  { maxCost, missing, json }: ChangeOptions,
): Promise<number> {
  const cap = maxCost === undefined ? undefined : numberOf('--max-cost', maxCost);
  const changes = {
    pause: () => mcs.experiments.pause(id),
    resume: () => mcs.experiments.resume(id, { maxCostUsd: cap }),
    cancel: () => mcs.experiments.cancel(id),
    retry: () =>
      mcs.experiments.change(id, {
        retry: missing === true ? 'missing' : 'failed',
        ...(cap !== undefined && { max_cost_usd: cap }),
      }),
  };
  const experiment = await changes[change]();
  if (json === true) terminal.printJson(experiment);
  else printExperiment(terminal, experiment);
  if (change === 'retry' && experiment.state === 'paused')
    terminal.note(`The rows wait until the experiment goes on: mcs experiment resume ${oneLine(id)}`);
  return EXIT.done;
}

/** mcs decide: what is taken. */
export async function decideCommand(
  { mcs, terminal }: Context,
  id: string,
  model: string,
  { reason, tolerance, json }: CommonOptions & { reason?: string; tolerance?: string },
): Promise<number> {
  const decision = await mcs.experiments.decide(id, {
    model,
    ...(reason !== undefined && { reason }),
    tolerance: toleranceOf(tolerance),
  });
  if (json === true) terminal.printJson(decision);
  else terminal.note(`Decided: ${oneLine(decision.model)}. To see it: mcs report ${oneLine(id)}`);
  return EXIT.done;
}

/** mcs report: what an experiment found, for a file or a message. */
export async function reportCommand(
  { mcs, terminal }: Context,
  id: string,
  { rows, texts, tolerance }: CommonOptions & { rows: string; texts: boolean; tolerance?: string },
): Promise<number> {
  const query = { rows: numberOf('--rows', rows), texts, tolerance: toleranceOf(tolerance) };
  terminal.printFile(await mcs.experiments.report(id, query));
  return EXIT.done;
}

/** Points as a fraction. */
function toleranceOf(points: string | undefined): number | undefined {
  return points === undefined ? undefined : numberOf('--tolerance', points) / 100;
}

/** mcs comparison: what changed against an earlier experiment. */
export async function comparisonCommand(
  { mcs, terminal }: Context,
  id: string,
  against: string,
  { json }: CommonOptions,
): Promise<number> {
  const comparison = await mcs.experiments.comparison(id, { against });
  if (json === true) terminal.printJson(comparison);
  else printComparison(terminal, comparison);
  return EXIT.done;
}

async function rowsCommand(
  { mcs, terminal }: Context,
  id: string,
  { format, state, json }: ShowExperimentOptions,
): Promise<number> {
  const filter = { state: stateOf(state) };
  if (format !== undefined) {
    if (format !== 'csv' && format !== 'jsonl') throw new UsageError('--format must be csv or jsonl.');
    for await (const piece of mcs.experiments.rowsFile(id, format, filter)) terminal.printFile(piece);
    return EXIT.done;
  }
  const { models } = await mcs.experiments.get(id);
  const rows = await firstOf(Infinity, (query) => mcs.experiments.rows(id, { ...filter, ...query }));
  terminal.printList(json, { rows }, terminal.isWatched ? rowsTable(rows, models) : rowsColumns(rows, models));
  return EXIT.done;
}

function stateOf(state: string | undefined): ExperimentRowQuery['state'] {
  const known = STATES.find((each) => each === state);
  if (known === undefined && state !== undefined)
    throw new UsageError(`--state must be ${STATES.join(', ').replace(/, (\w+)$/, ' or $1')}.`);
  return known;
}

/** For people: what each model did with each row. */
function rowsTable(rows: readonly ExperimentRow[], models: readonly string[]): Table {
  return {
    head: ['row', 'state', 'input', 'answers'],
    lines: rows.map((row) => [
      row.row_id,
      row.state,
      row.input ?? '',
      models.map((model) => `${model} ${answersOf(row, model)}`).join(', '),
    ]),
    flexible: 2,
  };
}

/** For programs: a column for each model. */
function rowsColumns(rows: readonly ExperimentRow[], models: readonly string[]): Table {
  return {
    head: ['row', 'state', ...models, 'input'],
    lines: rows.map((row) => [row.row_id, row.state, ...models.map((model) => answersOf(row, model)), row.input ?? '']),
    flexible: models.length + 2,
  };
}

/**
 * "passed", "2 of 3 passed", "failed", "undecided"; the code of the error if no sample answered, and "-" without a
 * call.
 */
function answersOf(row: ExperimentRow, model: string): string {
  const asked = row.results.filter((result) => result.model === model);
  const decided = asked.filter(({ passed }) => passed !== null);
  const passed = decided.filter((result) => result.passed === true).length;
  if (decided.length === 0) return errorOf(row, model)?.code ?? (asked.length === 0 ? '-' : 'undecided');
  if (decided.length > 1) return `${passed} of ${decided.length} passed`;
  return passed === 1 ? 'passed' : 'failed';
}

function printExperiment(terminal: Context['terminal'], experiment: Experiment): void {
  const {
    experiment_id: id,
    name,
    state,
    reason,
    reason_detail: detail,
    dataset_id: dataset,
    models,
    rows,
    created_at: created,
    finished_at: finished,
  } = experiment;
  terminal.printRecord([
    ['experiment', id],
    ['name', name ?? ''],
    ['state', reason === null ? state : `${state}: ${detail ?? reason.replaceAll('_', ' ')}`],
    ['progress', progressWords(experiment)],
    ['running', rows.running === 0 ? '' : pluralize(rows.running, 'row')],
    ['waiting', rows.waiting === 0 ? '' : pluralize(rows.waiting, 'row')],
    ['data set', dataset],
    ['models', models.join(', ')],
    ['created', created],
    ['finished', finished ?? ''],
  ]);
}
