import type { Eval, Result } from '../../client/client';
import { toApiJson } from '../../client/amount-text';
import type { CommonOptions, Context } from '../context';
import { wordDifferences } from '../diff';
import { EXIT, UsageError } from '../exit-codes';
import { blockLines, columnLines, MIN_WIDTH_FOR_COLUMNS, summaryLine } from '../render';
import { harmless, oneLine } from '../text';
import { stateOf } from '../watch-state';

/** Options of `mcs eval`. */
export interface EvalCommandOptions extends CommonOptions {
  diff?: string;
  plain?: boolean;
}

/** mcs eval: one stored eval, or the differences of two of its answers. */
export async function evalCommand({ mcs, terminal, settings }: Context, id: string, { diff, plain, json }: EvalCommandOptions): Promise<number> {
  const names = diff?.split(',').map((name) => name.trim());
  if (names !== undefined && names.length !== 2) throw new UsageError('--diff takes two models: sim-swift,sim-sage.');
  const stored = await mcs.evals.get(id, { details: true });
  if (json === true) terminal.printJson(toApiJson(stored));
  else if (names !== undefined) printDifferences(terminal, names.map((name) => resultOf(stored, name)) as [Result, Result]);
  else printEval(terminal, stored, settings.url, plain === true);
  return EXIT.done;
}

function printEval(terminal: Context['terminal'], stored: Eval, address: string, isPlain: boolean): void {
  const [state, view, input] = [stateOf(stored), { width: terminal.width, elapsedMs: 0, paint: terminal.paint }, stored.details?.input ?? ''];
  const isWide = !isPlain && terminal.isWatched && terminal.width >= MIN_WIDTH_FOR_COLUMNS;
  terminal.print(harmless(stored.prompt), ...(input === '' ? [] : [terminal.paint('dim', harmless(input))]), '');
  terminal.print(...(isWide ? columnLines(state, view) : state.models.flatMap((model) => blockLines(model, state, view))));
  terminal.print(summaryLine(state, { address }));
}

/** @throws UsageError */
function resultOf(stored: Eval, name: string): Result {
  const result = stored.results.find(({ model }) => model === name);
  if (result === undefined) throw new UsageError(`${oneLine(name)} is not in this eval; it has ${stored.models.map(oneLine).join(', ')}.`);
  return result;
}

function printDifferences(terminal: Context['terminal'], [base, other]: [Result, Result]): void {
  const found = wordDifferences(base.output, other.output, terminal.paint);
  if (found === undefined) terminal.print('Too different to compare word by word.');
  else terminal.print(terminal.paint('bold', `${oneLine(base.model)} → ${oneLine(other.model)}: ${found.added} added, ${found.removed} removed`), '', found.text);
}
