import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { refuseOlderSchema } from '../database/older-schema';
import { count } from './count';

/** One check a file; each selects where two parts of the ledger do not say the same. */
const CHECKS = join(__dirname, 'ledger-verify');

/** Two parts of the ledger that do not say the same. */
export interface Discrepancy {
  userId: string;
  month: string;
  fact: string;
  counted: string | null;
  proven: string | null;
}

/** The verified counts, and every discrepancy. */
export interface LedgerReport {
  months: number;
  evals: number;
  discrepancies: Discrepancy[];
}

/** Proves for every user and month that the parts of the ledger say the same. All checks see the same state, also while the service is running. @throws OperatorError for a database of 0.1.0 */
export async function verifyLedger(em: EntityManager): Promise<LedgerReport> {
  await refuseOlderSchema(em);
  return em.fork().transactional(verify, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}

/** A discrepancy in one line. */
export function lineOf({ userId, month, fact, counted, proven }: Discrepancy): string {
  return `${userId} ${month}  ${fact}: ${counted} / ${proven}`;
}

/** The verdict in one sentence. */
export function verdictOn({ months, evals, discrepancies }: LedgerReport): string {
  const scope = `${count(evals, 'eval')} in ${count(months, 'monthly total')}`;
  if (discrepancies.length === 0) return `The ledger is consistent: ${scope}.`;
  return `The ledger has ${count(discrepancies.length, 'discrepancy', 'discrepancies')} (${scope}).`;
}

async function verify(tx: EntityManager): Promise<LedgerReport> {
  const [total] = await tx.execute<{ months: string; evals: string }[]>('select count(*) as months, coalesce(sum(eval_count), 0) as evals from month_totals');
  const discrepancies: Discrepancy[] = [];
  for (const file of readdirSync(CHECKS)) discrepancies.push(...await tx.execute<Discrepancy[]>(readFileSync(join(CHECKS, file), 'utf8')));
  const key = ({ userId, month, fact }: Discrepancy) => `${userId} ${month} ${fact}`;
  discrepancies.sort((left, right) => (key(left) < key(right) ? -1 : 1));
  return { months: Number(total?.months), evals: Number(total?.evals), discrepancies };
}
