import type { Context } from './context';
import { EXIT, UsageError } from './exit-codes';

/** Asks a question unless `--yes` was given. Gives the exit code where the answer is not yes. @throws UsageError */
export async function refusalOf(
  { system, terminal }: Context,
  yes: boolean | undefined,
  { unasked, question, declined }: { unasked: string; question: string; declined: string },
): Promise<number | undefined> {
  if (yes === true) return undefined;
  if (!system.isInputTerminal) throw new UsageError(`${unasked} Confirm it with --yes.`);
  const answer = await system.ask(`${question} [y/N] `);
  if (answer === undefined) return EXIT.interrupted;
  if (/^y(?:es)?$/i.test(answer.trim())) return undefined;
  terminal.note(declined);
  return EXIT.failed;
}
