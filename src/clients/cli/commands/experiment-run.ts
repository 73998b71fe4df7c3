import { basename, join, resolve } from 'node:path';
import { shortAmount } from '../../client/amount-text';
import {
  CompareError,
  type Dataset,
  type Experiment,
  type ExperimentEstimate,
  type WaitOptions,
} from '../../client/client';
import { NOT_IN_PROMPTS } from '../../client/datasets';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { experimentOf, type ExperimentOptions } from '../experiment-request';
import { appendText, fileBytes, writeText } from '../files';
import { gateOf, type EndedExperiment, type GateOptions, type GateResult } from '../gate';
import { junitOf } from '../junit';
import { pageSize } from '../lists';
import { Progress } from '../progress';
import { findingsOf, printComparison, printSummary } from '../summary';
import { oneLine, pluralize } from '../text';

/** Options of an estimate before the start. */
export const ESTIMATE_ONCE = { maxRetries: 0, timeoutMs: 30_000 };
const EMPTY_JUNIT = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites/>\n';

/** Options that say whether to wait for the end, and what to do then. */
export interface FollowOptions extends CommonOptions, GateOptions {
  wait?: boolean;
  junit?: string;
  report?: string;
}

/** Options of `mcs experiment run`. */
export interface RunExperimentOptions extends FollowOptions, ExperimentOptions {
  idempotencyKey?: string;
}

/**
 * mcs experiment run: stores the data set of the folder, says the estimate and starts; with `--wait` it also judges the
 * end. Gives the exit code.
 */
export async function runExperimentCommand(
  context: Context,
  folder: string | undefined,
  options: RunExperimentOptions,
): Promise<number> {
  const { mcs, terminal, system } = context;
  const asked = await experimentOf(system, folder, options);
  const judge = await judgeOfExperiment(context, options, asked.models);
  const { dataset_id: dataset, columns } =
    options.dataset === undefined
      ? await pushed(context, folder, asked.name, asked.dataset)
      : await mcs.datasets.get(options.dataset);
  const body = { ...asked, dataset };
  sayUnfilled(terminal, `${asked.prompt} ${JSON.stringify(asked.options?.history)}`, columns);
  // Where the estimate fails, the start says why.
  await mcs.experiments.estimate(body, ESTIMATE_ONCE).then(
    (estimate) => sayEstimate(terminal, estimate),
    () => undefined,
  );
  const { experiment_id: id, ...started } = await mcs.experiments.create(body, {
    idempotencyKey: options.idempotencyKey,
  });
  if (isFollowed(options)) return await follow(context, id, judge, options);
  if (options.json === true) terminal.printJson({ experiment_id: id, ...started });
  else {
    terminal.print(oneLine(id));
    terminal.note(`The service runs it. To wait for it: mcs experiment ${oneLine(id)} --wait`);
  }
  return EXIT.done;
}

/** True if an option asks for the end. */
export function isFollowed({ wait, against, minPass, junit, report, requireRecommended }: FollowOptions): boolean {
  return wait === true || [against, minPass, junit, report, requireRecommended].some((option) => option !== undefined);
}

/**
 * The judge of an experiment. Everything that can fail before it runs fails here. @throws UsageError,
 * InvalidRequestError if there is no earlier experiment
 */
export async function judgeOfExperiment(
  { mcs, system }: Context,
  options: FollowOptions,
  models: readonly string[],
): Promise<(ended: EndedExperiment) => GateResult> {
  const judge = gateOf(options, models);
  if (options.against !== undefined) await mcs.experiments.get(options.against);
  if (options.junit !== undefined) writeText(system, options.junit, EMPTY_JUNIT);
  if (options.report !== undefined) writeText(system, options.report, '');
  return judge;
}

/** An experiment that has ended, and the judges of its rubrics, too. */
async function endOf({ mcs }: Context, id: string, waiting: WaitOptions): Promise<Experiment> {
  const experiment = await mcs.experiments.wait(id, waiting);
  const hasRubric = experiment.checks.some((check) => (check as { type?: unknown }).type === 'rubric');
  if (!hasRubric) return experiment;
  for (const judges of (await mcs.experiments.summary(id)).judged_by)
    await mcs.experiments.wait(judges.experiment_id, waiting);
  return experiment;
}

/** Waits for the end, prints it, writes the test cases and judges. Ctrl C leaves the experiment running. */
export async function follow(
  context: Context,
  id: string,
  judge: (ended: EndedExperiment) => GateResult,
  options: FollowOptions,
): Promise<number> {
  const { mcs, terminal, system } = context;
  const progress = new Progress(terminal, terminal.canRedraw && options.json !== true);
  const stop = new AbortController();
  const stopListening = system.onInterrupt(() =>
    stop.signal.aborted ? system.exit(EXIT.interrupted) : stop.abort(new Error('Interrupted.')),
  );
  let experiment: Experiment;
  try {
    const waiting = { signal: stop.signal, onProgress: (latest: Experiment) => progress.show(latest) };
    experiment = await endOf(context, id, waiting);
  } catch (error) {
    progress.end();
    terminal.note(
      `Stopped watching. The experiment continues. To look again: mcs experiment ${oneLine(id)} --wait, to end it: mcs experiment cancel ${oneLine(id)}`,
    );
    if (!stop.signal.aborted) throw error;
    return EXIT.interrupted;
  } finally {
    stopListening();
  }
  progress.end();
  const ended = {
    experiment,
    summary: await mcs.experiments.summary(id),
    comparison: await comparisonOf(context, id, options.against),
  };
  printEnd(terminal, ended, options.json === true);
  if (options.junit !== undefined)
    writeText(
      system,
      options.junit,
      await junitOf(experiment.name ?? id, experiment.models, mcs.experiments.rows(id, { limit: pageSize(Infinity) })),
    );
  if (options.report !== undefined) {
    const report = await mcs.experiments.report(id);
    writeText(system, options.report, report);
    const { GITHUB_STEP_SUMMARY: page = '' } = system.environment;
    if (page !== '') appendText(system, page, report);
  }
  const { code, reasons } = judge(ended);
  for (const reason of reasons) terminal.note(oneLine(reason));
  return code;
}

/** The service sends texts with braces, such as code, but a misspelled name costs money. */
function sayUnfilled(terminal: Context['terminal'], texts: string, columns: readonly string[]): void {
  const unfilled = new Set(
    Array.from(texts.matchAll(/\{(\w{1,40})\}/g), ([, name = '']) => name).filter(
      (name) => !columns.includes(name) || NOT_IN_PROMPTS.includes(name),
    ),
  );
  unfilled.delete('input');
  if (unfilled.size > 0)
    terminal.note(
      oneLine(
        `The prompt keeps ${[...unfilled].map((name) => `{${name}}`).join(', ')}: the data set has no such variable.`,
      ),
    );
}

/** @param file the member `dataset` of experiment.json, if it is the name of a file */
async function pushed(
  { mcs, system, terminal }: Context,
  folder: string | undefined,
  name: string | undefined,
  named = '',
): Promise<Dataset> {
  const file = /^[\w-]+\.jsonl$/.test(named) ? named : 'dataset.jsonl';
  if (folder === undefined)
    throw new UsageError('Name a folder with dataset.jsonl, or a stored data set with --dataset.');
  const dataset = await mcs.datasets.create(fileBytes(system, join(folder, file)), {
    name: name ?? basename(resolve(folder)),
    format: 'jsonl',
  });
  terminal.note(`Data set ${oneLine(dataset.dataset_id)}: ${pluralize(dataset.rows, 'row')}.`);
  return dataset;
}

/** Says what an experiment costs at most and likely. */
export function sayEstimate(terminal: Context['terminal'], estimate: ExperimentEstimate): void {
  const {
    rows,
    calls,
    likely_cost_usd: likely,
    most_cost_usd: most,
    fits_cap: fits,
    detectable_difference: difference,
  } = estimate;
  terminal.note(
    `${pluralize(rows, 'row')}, ${pluralize(calls, 'call')}: at most ${shortAmount(most)}; a guess is ${shortAmount(likely)}, with answers half as long as allowed${fits === false ? '; the cap may end it before the last row' : ''}.`,
  );
  if (difference !== null)
    terminal.note(`Differences of less than ${(100 * difference).toFixed(1)} points will probably not show.`);
}

/** Null if the two have no common row. */
async function comparisonOf(
  { mcs }: Context,
  id: string,
  against: string | undefined,
): Promise<EndedExperiment['comparison']> {
  if (against === undefined) return undefined;
  return await mcs.experiments.comparison(id, { against }).catch((error: unknown) => {
    if (error instanceof CompareError && error.code === 'not_comparable') return null;
    throw error;
  });
}

function printEnd(terminal: Context['terminal'], ended: EndedExperiment, isJson: boolean): void {
  const { summary, comparison } = ended;
  if (isJson) return terminal.printJson(ended);
  printSummary(terminal, summary);
  // A pipe gets one table.
  if (!terminal.isWatched)
    for (const words of [...findingsOf(summary), ...(comparison ? [comparison.words] : [])])
      terminal.note(oneLine(words));
  if (!terminal.isWatched || comparison === undefined || comparison === null) return;
  terminal.print('');
  printComparison(terminal, comparison);
}
