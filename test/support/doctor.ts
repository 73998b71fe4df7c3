import type { NamedJudgment } from '../../src/commands/doctor/finding';
import { runCommand } from './command';

/** The output of `npm run doctor -- --json`, by diagnosis; the first finding of each. */
export async function doctor(
  variables: Record<string, string>,
): Promise<{ exitCode: number | null; status: string; findings: NamedJudgment[]; of: (diagnosis: string) => string }> {
  const { status: exitCode, output } = await runCommand('doctor', variables, ['--json']);
  const { status, findings } = JSON.parse(output) as { status: string; findings: NamedJudgment[] };
  return {
    exitCode,
    status,
    findings,
    of: (diagnosis) => wordsOf(findings.find((finding) => finding.diagnosis === diagnosis)),
  };
}

function wordsOf(finding: NamedJudgment | undefined): string {
  return finding === undefined ? 'nothing' : `${finding.status}: ${finding.message}`;
}
