import type { EvalSummary } from '../../client/client';
import { shortAmount, toApiJson } from '../../client/amount-text';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { numberOf } from '../request';

const PAGE_SIZE = 100;

/** Options of `mcs evals`. */
export interface EvalsCommandOptions extends CommonOptions {
  search?: string;
  model?: string;
  number: string;
}

/** mcs evals: past evals, newest first. */
export async function evalsCommand({ mcs, terminal }: Context, { search, model, number, json, jsonl }: EvalsCommandOptions): Promise<number> {
  const wanted = numberOf('--number', number);
  const evals: EvalSummary[] = [];
  if (wanted > 0) {
    for await (const line of mcs.evals.list({ limit: Math.min(wanted, PAGE_SIZE), ...(search !== undefined && { q: search }), ...(model !== undefined && { model }) })) {
      evals.push(line);
      if (jsonl === true) terminal.printJson(toApiJson(line));
      if (evals.length >= wanted) break;
    }
  }
  if (json === true) terminal.printJson(toApiJson({ evals }));
  else if (jsonl !== true) {
    terminal.printTable({
      head: ['eval', 'created', 'prompt', 'models', 'fastest', 'cost'],
      lines: evals.map(({ eval_id: id, created_at: created, prompt, models, meta }) => [
        id, terminal.isWatched ? created.slice(0, 16).replace('T', ' ') : created, prompt, models.join(','), meta.fastest_model, terminal.isWatched ? shortAmount(meta.total_cost_usd) : meta.total_cost_usd,
      ]),
      right: [5],
      flexible: 2,
      optional: [4, 3],
    });
  }
  return EXIT.done;
}
