import type { Finding } from '../../src/commands/doctor/finding';
import { runCommand } from './command';

/** What `npm run doctor -- --json` says, by what it looked at; the first of each. */
export async function doctor(variables: Record<string, string>): Promise<{ exitCode: number | null; status: string; findings: Finding[]; of: (check: string) => string }> {
  const { status: exitCode, output } = await runCommand('doctor', variables, ['--json']);
  const { status, findings } = JSON.parse(output) as { status: string; findings: Finding[] };
  return { exitCode, status, findings, of: (check) => wordsOf(findings.find((finding) => finding.check === check)) };
}

function wordsOf(finding: Finding | undefined): string {
  return finding === undefined ? 'nothing' : `${finding.status}: ${finding.message}`;
}
