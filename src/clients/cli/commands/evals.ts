import type { EvalQuery, EvalSummary } from '../../client/client';
import { atMost, evalsAsCsv } from '../../client/evals-export';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { firstOf, pageSize } from '../lists';
import { numberOf } from '../request';

/** Options of `mcs evals`. */
export interface EvalsCommandOptions extends CommonOptions {
  search?: string;
  model?: string;
  number: string;
  all?: boolean;
  starred?: boolean;
  csv?: boolean;
}

/** mcs evals: past evals, newest first. */
export async function evalsCommand(
  { mcs, terminal }: Context,
  { number, all, csv, json, jsonl, ...filters }: EvalsCommandOptions,
): Promise<number> {
  if ([csv, json, jsonl].filter((isChosen) => isChosen === true).length > 1)
    throw new UsageError('Choose --csv, --json or --jsonl.');
  const wanted = all === true ? Infinity : numberOf('--number', number);
  const list = mcs.evals.list({
    limit: pageSize(wanted),
    ...queryOf(filters),
    details: csv === true,
    note: csv === true || jsonl === true,
  });
  if (csv === true) for await (const line of evalsAsCsv(list, wanted)) terminal.printFile(line);
  else if (jsonl === true) for await (const each of atMost(wanted, list)) terminal.printJson(each);
  else printEvals(terminal, await firstOf(wanted, () => list), json);
  return EXIT.done;
}

function queryOf({ search, model, starred }: Pick<EvalsCommandOptions, 'search' | 'model' | 'starred'>): EvalQuery {
  return {
    ...(search !== undefined && { q: search }),
    ...(model !== undefined && { model }),
    ...(starred === true && { starred }),
  };
}

function printEvals(terminal: Context['terminal'], evals: readonly EvalSummary[], json: boolean | undefined): void {
  terminal.printList(
    json,
    { evals },
    {
      head: ['eval', 'created', 'prompt', 'models', 'cost'],
      lines: evals.map(({ eval_id: id, created_at: created, prompt, models, meta }) => [
        id,
        terminal.time(created),
        prompt,
        models.join(','),
        terminal.amount(meta.total_cost_usd),
      ]),
      right: [4],
      flexible: 2,
      optional: [3],
    },
  );
}
