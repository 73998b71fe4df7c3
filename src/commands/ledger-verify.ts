import '../bootstrap/check-node-version';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { runOnDatabase } from '../bootstrap/run-command';
import { count, print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';
import { refuseOlderSchema } from '../platform/database/older-schema';

/** One proof a file; each selects where two parts of the ledger disagree. */
const PROOFS = join(__dirname, 'ledger-verify');

/** Two parts of the ledger that disagree. */
interface Discrepancy {
  userId: string;
  month: string;
  fact: string;
  counted: string | null;
  proven: string | null;
}

/** The verified counts, and every discrepancy. */
interface LedgerReport {
  months: number;
  evals: number;
  discrepancies: Discrepancy[];
}

/**
 * `npm run ledger:verify`: proves for every user and month that the totals, the breakdown, the charges, the evals and
 * the results (or the rest of erased ones) agree,
 * and that every cost is its tokens at the rates it was computed with. Prints each discrepancy and exits with 1 if
 * there is one. All proofs see the same state, also while the service is running.
 */
void runOnDatabase(
  { usage: 'npm run ledger:verify [-- --json]', flags: ['json'] },
  async ({ em }, _config, { flags }) => {
    await refuseOlderSchema(em);
    const report = await em
      .fork()
      .transactional(verify, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
    const verdict = verdictOn(report);
    if (flags.has('json')) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else
      for (const { userId, month, fact, counted, proven } of report.discrepancies)
        print(`${userId} ${month}  ${fact}: ${counted} / ${proven}`);
    if (report.discrepancies.length > 0) throw new OperatorError(verdict);
    print(verdict);
  },
);

async function verify(tx: EntityManager): Promise<LedgerReport> {
  const [total] = await tx.execute<{ months: string; evals: string }[]>(
    'select count(*) as months, coalesce(sum(eval_count), 0) as evals from month_totals',
  );
  const discrepancies: Discrepancy[] = [];
  for (const file of readdirSync(PROOFS))
    discrepancies.push(...(await tx.execute<Discrepancy[]>(readFileSync(join(PROOFS, file), 'utf8'))));
  const key = ({ userId, month, fact }: Discrepancy) => `${userId} ${month} ${fact}`;
  discrepancies.sort((left, right) => (key(left) < key(right) ? -1 : 1));
  return { months: Number(total?.months), evals: Number(total?.evals), discrepancies };
}

function verdictOn({ months, evals, discrepancies }: LedgerReport): string {
  const scope = `${count(evals, 'eval')} in ${count(months, 'monthly total')}`;
  if (discrepancies.length === 0) return `The ledger is consistent: ${scope}.`;
  return `The ledger has ${count(discrepancies.length, 'discrepancy', 'discrepancies')} (${scope}).`;
}
