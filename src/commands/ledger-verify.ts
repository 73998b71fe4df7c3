import '../bootstrap/check-node-version';
import { print } from '../bootstrap/terminal';
import { OperatorError } from '../common/operator-error';
import { runOnDatabase } from './run-command';
import { lineOf, verdictOn, verifyLedger } from './verify-ledger';

/**
 * `npm run ledger:verify`: proves for every user and month that the totals, the breakdown, the charges, the evals and the results (or what is left of erased ones) say the same,
 * and that every cost is its tokens at the rates it was computed with. Prints each discrepancy and ends with 1 when there is one.
 */
void runOnDatabase({ usage: 'npm run ledger:verify' }, async ({ em }) => {
  const report = await verifyLedger(em);
  for (const discrepancy of report.discrepancies) print(lineOf(discrepancy));
  if (report.discrepancies.length > 0) throw new OperatorError(verdictOn(report));
  print(verdictOn(report));
});
