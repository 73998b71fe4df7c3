import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';
import { runOnDatabase } from './run-command';

/** One check a file; each selects where two parts of the ledger do not say the same. */
const CHECKS = join(__dirname, 'ledger-verify');

/** Two parts of the ledger that do not say the same. */
interface Discrepancy {
  userId: string;
  month: string;
  fact: string;
  counted: string | null;
  proven: string | null;
}

/**
 * `npm run ledger:verify`: proves for every user and month that the totals, the breakdown, the charges, the evals and the results (or what is left of erased ones) say the same,
 * and that every cost is its tokens at the rates it was computed with. Prints each discrepancy and ends with 1 when there is one.
 */
void runOnDatabase(async ({ em }) => {
  // All checks see the same state, also while the service is running.
  const { discrepancies, scope } = await em.fork().transactional(verify, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
  for (const { userId, month, fact, counted, proven } of discrepancies) print(`${userId} ${month}  ${fact}: ${counted} / ${proven}`);
  if (discrepancies.length > 0) throw new OperatorError(`The ledger has ${discrepancies.length} discrepancies (${scope}).`);
  print(`The ledger is consistent: ${scope}.`);
});

async function verify(tx: EntityManager): Promise<{ discrepancies: Discrepancy[]; scope: string }> {
  const [total] = await tx.execute<{ months: string; evals: string }[]>('select count(*) as months, coalesce(sum(eval_count), 0) as evals from month_totals');
  const discrepancies: Discrepancy[] = [];
  for (const file of readdirSync(CHECKS)) discrepancies.push(...await tx.execute<Discrepancy[]>(readFileSync(join(CHECKS, file), 'utf8')));
  const key = ({ userId, month, fact }: Discrepancy) => `${userId} ${month} ${fact}`;
  discrepancies.sort((left, right) => (key(left) < key(right) ? -1 : 1));
  return { discrepancies, scope: `${total?.months} months of users, ${total?.evals} evals` };
}
