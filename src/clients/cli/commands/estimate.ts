import { priceRange } from '../../client/amount-text';
import type { Estimate } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { requestOf, type RequestOptions } from '../request';

/** Options of `mcs estimate`. */
export interface EstimateCommandOptions extends CommonOptions, RequestOptions {
  background?: boolean;
}

/** mcs estimate: what a compare would cost; nothing runs and nothing is charged. */
export async function estimateCommand(
  { system, mcs, terminal }: Context,
  prompt: string | undefined,
  options: EstimateCommandOptions,
): Promise<number> {
  const body = await requestOf(system, prompt, options);
  const estimate = await mcs.estimate(body, { background: options.background });
  if (options.json === true) {
    terminal.printJson(estimate);
    return EXIT.done;
  }
  terminal.printTable({
    head: ['model', 'input tokens', 'output at most', 'at least', 'at most'],
    lines: [
      ...estimate.models.map(({ model, estimated_input_tokens: input, max_output_tokens: output, cost_usd: cost }) => [
        model,
        String(input),
        String(output),
        terminal.amount(cost.least),
        terminal.amount(cost.most),
      ]),
      ['total', '', '', terminal.amount(estimate.cost_usd.least), terminal.amount(estimate.cost_usd.most)],
    ],
    right: [1, 2, 3, 4],
    flexible: 0,
  });
  if ((body.options?.samples ?? 1) > 1) terminal.note(`Each model is called ${body.options?.samples} times.`);
  terminal.note(`Price: ${priceOf(estimate)}.`);
  return EXIT.done;
}

/** The charge of a compare before it runs: "$0.0003 to $0.092", "free (69 left)" or "costs nothing". */
export function priceOf({ free, free_evals_remaining: left, charge_usd: { least, most } }: Estimate): string {
  return free ? `free (${left} left)` : priceRange(least, most);
}
