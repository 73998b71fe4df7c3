import { shortAmount } from '../../client/amount-text';
import type { Projection } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { numberOf } from '../request';
import { inBrackets } from '../statistics';
import type { Table } from '../table';

/** mcs projection: what an eval's calls would cost in a month, now and after each announced change of price. */
export async function projectionCommand(
  { mcs, terminal }: Context,
  id: string,
  { calls, json }: CommonOptions & { calls?: string },
): Promise<number> {
  const projection = await mcs.evals.projection(
    id,
    calls === undefined ? {} : { calls_per_month: numberOf('--calls', calls) },
  );
  if (json === true) terminal.printJson(projection);
  else {
    terminal.printTable(terminal.isWatched ? table(projection) : columns(projection));
    if (terminal.isWatched)
      terminal.printSentences(
        ...projection.models.flatMap((model) =>
          [...passedText(model, projection.calls_per_month), ...model.notes].map((note) => `${model.model}: ${note}`),
        ),
      );
  }
  return EXIT.done;
}

function passedText({ cost_per_passed: passed }: Projection['models'][number], count: number): string[] {
  if (passed === null) return [];
  const amounts = [String(passed.usd), String(passed.monthly_usd)].map(shortAmount);
  return [`A passed answer costs ${amounts[0]}, and ${count.toLocaleString('en-US')} of them ${amounts[1]}.`];
}

/** For people: with the interval of a month's cost in brackets. */
function table({ models, calls_per_month: calls }: Projection): Table {
  return {
    head: ['model', 'from', 'calls', 'a call costs', 'a month costs', 'charged'],
    lines: models.flatMap(({ model, months }) =>
      months.map(({ from, cost_per_call_usd: call, monthly_cost_usd: cost, monthly_charge_usd: charge, ci }) => [
        model,
        from,
        String(calls),
        shortAmount(call),
        `${shortAmount(cost)} ${inBrackets(ci, (end) => shortAmount(String(end)))}`,
        shortAmount(charge),
      ]),
    ),
    right: [2, 3, 5],
    flexible: 0,
    optional: [2, 1],
  };
}

/** For programs: every figure in a separate column, empty if there is none. */
function columns({ models, calls_per_month: calls }: Projection): Table {
  return {
    head: [
      'model',
      'from',
      'calls',
      'cost_per_call_usd',
      'monthly_cost_usd',
      'monthly_cost_low',
      'monthly_cost_high',
      'monthly_charge_usd',
      'cost_per_passed_usd',
    ],
    lines: models.flatMap(({ model, months, cost_per_passed: passed }) =>
      months.map(({ from, cost_per_call_usd: call, monthly_cost_usd: cost, monthly_charge_usd: charge, ci }) => [
        model,
        from,
        String(calls),
        call,
        cost,
        String(ci?.[0] ?? ''),
        String(ci?.[1] ?? ''),
        charge,
        String(passed?.usd ?? ''),
      ]),
    ),
    flexible: 0,
  };
}
