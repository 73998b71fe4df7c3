import type { Eval, IncludeOptions, Result } from '../../client/client';
import { answersTable } from '../answers-table';
import type { CommonOptions, Context } from '../context';
import { wordDifferences } from '../diff';
import { EXIT, UsageError } from '../exit-codes';
import { partsOf } from '../lists';
import { blockLines, columnLines, MIN_WIDTH_FOR_COLUMNS, pairLines, summaryLines } from '../render';
import { numberOf } from '../request';
import { printStatistics, sampleWords } from '../statistics';
import { oneLine, wrap } from '../text';
import { samplesOf, stateOf } from '../watch-state';

/** Options of `mcs eval`. */
export interface EvalCommandOptions extends CommonOptions {
  diff?: string;
  plain?: boolean;
  sample: string;
  include: string;
}

const INCLUSIONS = ['details', 'checks', 'statistics'];

/**
 * mcs eval: one stored eval, or the differences of two of its answers, side by side where the terminal is wide enough.
 */
export async function evalCommand(
  { mcs, terminal, settings }: Context,
  id: string,
  { diff, plain, json, sample, include }: EvalCommandOptions,
): Promise<number> {
  const names = diff?.split(',').map((name) => name.trim());
  if (names !== undefined && names.length !== 2) throw new UsageError('--diff takes two models: sim-swift,sim-sage.');
  if (names !== undefined && json === true) throw new UsageError('Choose --json or --diff.');
  const wanted = numberOf('--sample', sample);
  const stored = await mcs.evals.get(
    id,
    json === true ? inclusionsOf(include) : { details: true, checks: true, statistics: true },
  );
  if (json === true) terminal.printJson(stored);
  else if (names !== undefined)
    printDifferences(terminal, names.map((name) => resultOf(stored, name, wanted)) as [Result, Result], plain === true);
  else printEval(terminal, stored, { address: settings.url, isPlain: plain === true, sample: wanted });
  return EXIT.done;
}

/** A whole eval: as JSON, side by side for people, or as a table for programs. */
export function printWhole({ terminal, settings }: Context, stored: Eval, isJson: boolean): void {
  if (isJson) terminal.printJson(stored);
  else if (terminal.isWatched) printEval(terminal, stored, { address: settings.url, isPlain: false, sample: 1 });
  else terminal.printTable(answersTable(stored));
}

/** An eval for people: one of its samples side by side, then figures over all of them. @throws UsageError */
function printEval(
  terminal: Context['terminal'],
  stored: Eval,
  { address, isPlain, sample }: { address: string; isPlain: boolean; sample: number },
): void {
  const [state, view] = [
    stateOf(stored, checkedSample(stored, sample)),
    { width: terminal.width, elapsedMs: 0, paint: terminal.paint },
  ];
  printAsked(terminal, stored);
  terminal.print('');
  terminal.print(
    ...(isWide(terminal, isPlain)
      ? columnLines(state, view)
      : state.models.flatMap((model) => blockLines(model, state, view))),
  );
  if (samplesOf(stored) > 1) {
    terminal.printSentences(sampleWords(stored, sample));
    printStatistics(terminal, stored);
  }
  terminal.print(...summaryLines(state, { address, width: terminal.width }));
}

/** Earlier turns, the prompt, the system message and the input. */
function printAsked(terminal: Context['terminal'], { prompt, details }: Eval): void {
  const { options, input = '' } = details ?? {};
  const dim = (line: string) => terminal.paint('dim', line);
  for (const { role, content } of options?.history ?? []) terminal.printText(`${role}: ${content}`, dim);
  terminal.printText(prompt);
  if (options?.system !== undefined) terminal.printText(options.system, dim);
  if (input !== null && input !== '') terminal.printText(input, dim);
}

/** Parses `--include`. @throws UsageError */
function inclusionsOf(include: string): IncludeOptions {
  const names = partsOf(include);
  if (!names.every((name) => INCLUSIONS.includes(name)))
    throw new UsageError(`--include accepts ${INCLUSIONS.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** @throws UsageError */
function checkedSample(stored: Eval, sample: number): number {
  if (!Number.isInteger(sample) || sample < 1 || sample > samplesOf(stored))
    throw new UsageError(`--sample must be from 1 to ${samplesOf(stored)}.`);
  return sample;
}

/** @throws UsageError */
function resultOf(stored: Eval, name: string, sample: number): Result {
  const result =
    stored.results[(checkedSample(stored, sample) - 1) * stored.models.length + stored.models.indexOf(name)];
  if (result?.model !== name)
    throw new UsageError(`${oneLine(name)} is not in this eval; it has ${stored.models.map(oneLine).join(', ')}.`);
  return result;
}

/** True if answers are shown side by side. */
function isWide(terminal: Context['terminal'], isPlain: boolean): boolean {
  return !isPlain && terminal.isWatched && terminal.width >= MIN_WIDTH_FOR_COLUMNS;
}

function printDifferences(terminal: Context['terminal'], [base, other]: [Result, Result], isPlain: boolean): void {
  const { paint, width } = terminal;
  const found = wordDifferences(base.output, other.output, paint);
  const [from, to] = [oneLine(base.model), oneLine(other.model)];
  if (found === undefined) terminal.print('Too different to compare word by word.');
  else if (isWide(terminal, isPlain))
    terminal.print(
      ...pairLines([`${from}  ${found.removed} removed`, `${to}  ${found.added} added`], found.sides, {
        width,
        elapsedMs: 0,
        paint,
      }),
    );
  else
    terminal.print(
      paint('bold', `${from} → ${to}: ${found.added} added, ${found.removed} removed`),
      '',
      ...(terminal.isWatched ? wrap(found.text, Math.max(1, width - 1)) : [found.text]),
    );
}
