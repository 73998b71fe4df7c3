import { shortAmount, toApiJson } from '../../client/amount-text';
import type { Projection } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { numberOf } from '../request';
import type { Table } from '../table';
import { oneLine } from '../text';

/** mcs projection: what an eval's calls would cost in a month, now and after each announced change of price. */
export async function projectionCommand({ mcs, terminal }: Context, id: string, { calls, json }: CommonOptions & { calls?: string }): Promise<number> {
  const projection = await mcs.evals.projection(id, calls === undefined ? {} : { calls_per_month: numberOf('--calls', calls) });
  if (json === true) terminal.printJson(toApiJson(projection));
  else {
    terminal.printTable(tableOf(projection, terminal.isWatched ? shortAmount : (amount) => amount));
    if (terminal.isWatched) terminal.print(...projection.models.flatMap(({ model, notes }) => notes.map((note) => `${oneLine(model)}: ${oneLine(note)}`)));
  }
  return EXIT.done;
}

function tableOf({ models, calls_per_month: calls }: Projection, amount: (text: string) => string): Table {
  return {
    head: ['model', 'from', 'calls', 'a call costs', 'a month costs', 'at least', 'at most', 'charged'],
    lines: models.flatMap(({ model, months }) => months.map(({ from, cost_per_call_usd: call, monthly_cost_usd: cost, monthly_charge_usd: charge, ci }) => [
      model, from, String(calls), amount(call), amount(cost), ...[ci?.[0], ci?.[1]].map((end) => (end === undefined ? '-' : amount(String(end)))), amount(charge),
    ])),
    right: [2, 3, 4, 5, 6, 7],
    flexible: 0,
    optional: [5, 6, 2],
  };
}
