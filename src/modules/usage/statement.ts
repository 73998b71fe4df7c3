import type { Charge } from '../billing/charge.entity';
import { csvLine } from '../../common/csv';
import { Money } from '../../common/money';
import { StatementLineDto, type StatementTotalDto } from './statement.dto';

const COLUMNS = [
  'time',
  'eval_id',
  'models',
  'input_tokens',
  'output_tokens',
  'cost_usd',
  'margin',
  'charge_usd',
  'free',
  'reason',
] as const;

export const CSV_EXAMPLE = [
  COLUMNS,
  [
    '2026-11-20T12:00:00.000Z',
    'eval_01k9z3t5v7x9b1d3f5h7k9m1n3',
    'sim-swift sim-quill',
    '14',
    '69',
    '0.00012965',
    '0.4',
    '0.00018151',
    'false',
    '',
  ],
  ['2026-11-21T09:30:00.000Z', '', '', '0', '0', '0', '0', '-2.5', 'false', 'Goodwill, for the outage'],
  ['total', '', '', '14', '69', '0.00012965', '', '-2.49981849', '', ''],
]
  .map(csvLine)
  .join('');

/** A month's statement as JSON in chunks; its totals are the sums of exactly the lines it contains. */
export async function* toJson(month: string, charges: AsyncIterable<Charge>): AsyncGenerator<string> {
  const total = new Total();
  yield `{"month":${JSON.stringify(month)},"lines":[`;
  let separator = '';
  for await (const charge of charges) {
    total.add(charge);
    yield separator + JSON.stringify(lineOf(charge));
    separator = ',\n';
  }
  yield `],"total":${JSON.stringify(total.toDto())}}`;
}

/** A month's statement as CSV (RFC 4180) in chunks, with a header line; the last line is the total. */
export async function* toCsv(charges: AsyncIterable<Charge>): AsyncGenerator<string> {
  const total = new Total();
  yield csvLine(COLUMNS);
  for await (const charge of charges) {
    total.add(charge);
    const line = lineOf(charge);
    yield csvLine(
      COLUMNS.map((column) => {
        const value = line[column];
        return Array.isArray(value) ? value.join(' ') : String(value ?? '');
      }),
    );
  }
  const { cost_usd: cost, charge_usd: charge } = total.toDto();
  yield csvLine([
    'total',
    '',
    '',
    total.inputTokens.toString(),
    total.outputTokens.toString(),
    cost.toString(),
    '',
    charge.toString(),
    '',
    '',
  ]);
}

class Total {
  inputTokens = 0n;
  outputTokens = 0n;
  private evals = 0;
  private free = 0;
  private cost = Money.zero;
  private charge = Money.zero;

  add(charge: Charge): void {
    this.evals += charge.evalId === null ? 0 : 1;
    this.free += charge.isFree ? 1 : 0;
    this.inputTokens += BigInt(charge.inputTokens);
    this.outputTokens += BigInt(charge.outputTokens);
    this.cost = this.cost.plus(charge.cost);
    this.charge = this.charge.plus(charge.charge);
  }

  toDto(): StatementTotalDto {
    return { eval_count: this.evals, free_eval_count: this.free, cost_usd: this.cost, charge_usd: this.charge };
  }
}

function lineOf(charge: Charge): StatementLineDto {
  return StatementLineDto.from(charge, Money.of(charge.margin));
}
