import { Command, SubCommand } from 'nest-commander';
import { OperatorError } from '../../common/operator-error';
import { onDatabase } from '../run-command';
import { CommandGroup, ConsoleCommand, type ConsoleOptions } from './console-command';
import { harmless, printResult } from './output';

@SubCommand({ name: 'verify', description: 'prove that the parts of the ledger agree, as `npm run ledger:verify` does' })
export class VerifyLedgerCommand extends ConsoleCommand {
  async run(_: string[], { json }: ConsoleOptions): Promise<void> {
    const { lineOf, verdictOn, verifyLedger } = await import('../verify-ledger.js');
    // Without the time limits of a service: it reads everything.
    await onDatabase(async ({ em }) => {
      const report = await verifyLedger(em);
      const isConsistent = report.discrepancies.length === 0;
      const lines = isConsistent ? [verdictOn(report)] : report.discrepancies.map(lineOf);
      printResult(report, json, lines.map((line) => `${harmless(line)}\n`).join(''));
      if (!isConsistent) throw new OperatorError(verdictOn(report));
    });
  }
}

@Command({ name: 'ledger', description: 'the ledger', subCommands: [VerifyLedgerCommand] })
export class LedgerCommand extends CommandGroup {}
