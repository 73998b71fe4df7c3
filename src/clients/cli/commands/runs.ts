import type { Eval, Run } from '../../client/client';
import { answersTable } from '../answers-table';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { isJudged, judgeOf, type JudgmentOptions } from '../judgment';
import { firstOf } from '../lists';
import { numberOf } from '../request';
import { printEval } from './eval';

/** Options of `mcs run`. */
export interface RunCommandOptions extends CommonOptions, JudgmentOptions {
  wait?: boolean;
  cancel?: boolean;
}

/** mcs runs: compares that run in the service or have, newest first. */
export async function runsCommand(
  { mcs, terminal }: Context,
  { number, json }: CommonOptions & { number: string },
): Promise<number> {
  const runs = await firstOf(numberOf('--number', number), (query) => mcs.runs.list(query));
  terminal.printList(
    json,
    { runs },
    {
      head: ['run', 'status', 'created', 'eval'],
      lines: runs.map(({ run_id: id, status, created_at: created, eval_id: evalId }) => [
        id,
        status,
        terminal.isWatched ? created.slice(0, 16).replace('T', ' ') : created,
        evalId,
      ]),
      // An id that is cut is of no use.
      optional: [3, 2],
    },
  );
  return EXIT.done;
}

/** mcs run: how far one is; with `--wait` its eval when it has ended, with `--cancel` taken out of the queue. */
export async function runCommand(
  context: Context,
  id: string,
  { wait, cancel, json, ...limits }: RunCommandOptions,
): Promise<number> {
  const { mcs, terminal } = context;
  const judge = judgeOf(limits);
  if (wait === true && cancel === true) throw new UsageError('Choose --wait or --cancel.');
  if (wait === true) return judge(await waitFor(context, id, json === true));
  if (isJudged(limits)) throw new UsageError('--fail-on, --fail-on-check and --max-latency need --wait.');
  if (cancel === true) await mcs.runs.cancel(id);
  const run = await mcs.runs.get(id);
  if (json === true) terminal.printJson(run);
  else printRun(terminal, run);
  return EXIT.done;
}

function printRun(terminal: Context['terminal'], run: Run): void {
  terminal.printRecord([
    ['run', run.run_id],
    ['status', run.status],
    ['eval', run.eval_id],
    ['created', run.created_at],
    ['started', run.started_at ?? ''],
    ['finished', run.finished_at ?? ''],
    ['error', run.error?.message ?? ''],
  ]);
}

async function waitFor({ mcs, terminal, settings }: Context, id: string, isJson: boolean): Promise<Eval> {
  const stored = await mcs.runs.eval(id, { details: true, checks: true, statistics: true });
  if (isJson) terminal.printJson(stored);
  else if (terminal.isWatched) printEval(terminal, stored, { address: settings.url, isPlain: false, sample: 1 });
  else terminal.printTable(answersTable(stored));
  return stored;
}
