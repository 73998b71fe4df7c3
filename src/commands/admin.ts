import '../bootstrap/check-node-version';
import { CommandFactory } from 'nest-commander';
import { print } from '../bootstrap/terminal';
import { harmless } from './admin/output';
import { ConsoleModule } from './admin/console.module';
import { runToEnd } from './run-command';

/** The codes that commander exits with after showing requested help. */
const HELP_SHOWN = /^commander\.(helpDisplayed|version)$/;

/**
 * `npm run admin -- COMMAND`: users, keys, usage, the audit log, the ledger and meter events, from a terminal.
 * Ends with 1 when something was refused or failed, and with 2 when the words of the command line were not understood; then nothing was even opened.
 */
void runToEnd(async () => {
  process.stdout.on('error', onLostResult);
  try {
    await CommandFactory.run(ConsoleModule, {
      errorHandler: rethrow,
      serviceErrorHandler: rethrow,
      // Messages of commander repeat words of the command line.
      outputConfiguration: { outputError: (text) => print(text.trimEnd().split('\n').map(harmless).join('\n')) },
    });
  } catch (error) {
    const code = commanderCode(error);
    if (code === undefined) throw error;
    // Commander has said already what it did not understand.
    if (!HELP_SHOWN.test(code)) process.exitCode = 2;
  }
});

/** A full disk, or a reader that has gone: what was to be read there, such as a new key, is lost. */
function onLostResult({ code }: NodeJS.ErrnoException): void {
  print(`The result could not be written (${code}).`);
  process.exitCode = 1;
}

function rethrow(error: Error): never {
  throw error;
}

function commanderCode(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('commander.') ? code : undefined;
}
