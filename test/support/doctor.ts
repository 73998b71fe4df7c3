import type { Finding } from '../../src/commands/doctor/finding';
import { runCommand } from './command';

/** The output of `npm run doctor -- --json`, by check; the first line of each. */
export async function doctor(variables: Record<string, string>): Promise<{ exitCode: number | null; status: string; findings: Finding[]; of: (check: string) => string }> {
  const { status: exitCode, output } = await runCommand('doctor', variables, ['--json']);
  const { status, findings } = JSON.parse(output) as { status: string; findings: Finding[] };
  return { exitCode, status, findings, of: (check) => wordsOf(findings.find((finding) => finding.check === check)) };
}

function wordsOf(finding: Finding | undefined): string {
  return finding === undefined ? 'nothing' : `${finding.status}: ${finding.message}`;
}
