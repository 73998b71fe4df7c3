import type { Run } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { isJudged, judgeOf, type JudgmentOptions } from '../judgment';
import { firstOf } from '../lists';
import { numberOf } from '../request';
import { printWhole } from './eval';

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
        terminal.time(created),
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
  if (wait === true) {
    const stored = await mcs.runs.eval(id, { details: true, checks: true, statistics: true });
    printWhole(context, stored, json === true);
    return judge(stored);
  }
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
