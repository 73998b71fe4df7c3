import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';

/** Options of `mcs usage`. */
export interface UsageCommandOptions extends CommonOptions {
  month?: string;
  by?: string;
  csv?: boolean;
}

/** mcs usage: a month in short, by model, day or key, or its statement as CSV. */
export async function usageCommand(context: Context, { month, by, csv, json }: UsageCommandOptions): Promise<number> {
  const { mcs, terminal } = context;
  const query = month === undefined ? {} : { month };
  if (csv === true && (by !== undefined || json === true))
    throw new UsageError('--csv prints the whole statement: leave out --by and --json.');
  if (csv === true) terminal.printFile(await mcs.usage.statementCsv(query));
  else if (by !== undefined) await printBreakdown(context, { ...query, by: kindOf(by) }, json);
  else {
    const usage = await mcs.usage.get(query);
    terminal.printList(json, usage, {
      head: ['month', 'evals', 'charged', 'free evals left', 'payment method'],
      lines: [
        [
          usage.month,
          String(usage.eval_count),
          `$${usage.total_charge_usd}`,
          `${usage.free_evals_remaining} of ${usage.pricing.free_quota}`,
          usage.has_payment_method ? 'on file' : 'none',
        ],
      ],
      right: [1, 2],
      flexible: 4,
    });
  }
  return EXIT.done;
}

async function printBreakdown(
  { mcs, terminal }: Context,
  query: { month?: string; by: 'model' | 'day' | 'key' },
  json: boolean | undefined,
): Promise<void> {
  const breakdown = await mcs.usage.breakdown(query);
  terminal.printList(json, breakdown, {
    head: [query.by, 'evals', 'input', 'output', 'cost', 'charge'],
    lines: breakdown.items.map(
      ({
        item,
        name,
        eval_count: evals,
        input_tokens: input,
        output_tokens: output,
        cost_usd: cost,
        charge_usd: charge,
      }) => [
        (terminal.isWatched ? name : undefined) ?? item,
        String(evals),
        String(input),
        String(output),
        terminal.amount(cost),
        terminal.amount(charge),
      ],
    ),
    right: [1, 2, 3, 4, 5],
    flexible: 0,
  });
}

/** @throws UsageError */
function kindOf(by: string): 'model' | 'day' | 'key' {
  if (by === 'model' || by === 'day' || by === 'key') return by;
  throw new UsageError('--by must be model, day or key.');
}
