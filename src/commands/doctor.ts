import '../bootstrap/check-node-version';
import { runCommand } from '../bootstrap/run-command';
import { count } from '../bootstrap/terminal';
import { environmentVariables } from '../config/process-environment';
import { diagnose } from './doctor/diagnose';
import type { NamedJudgment, Status } from './doctor/finding';

/** `npm run doctor`: diagnoses everything the service depends on: what is ok, what may go wrong and what is broken; exits with 1 if anything is. Changes nothing. */
void runCommand({ usage: 'npm run doctor [-- --json]', flags: ['json'] }, async ({ flags }) => {
  const findings = await diagnose(environmentVariables());
  const number = (status: Status) => findings.filter((finding) => finding.status === status).length;
  const status = (['broken', 'warning'] as const).find((each) => number(each) > 0) ?? 'ok';
  const sum = `${number('ok')} ok, ${count(number('warning'), 'warning')}, ${number('broken')} broken.`;
  process.stdout.write(flags.has('json') ? `${JSON.stringify({ status, findings }, null, 2)}\n` : `${linesOf(findings)}\n\n${sum}\n`);
  if (status === 'broken') process.exitCode = 1;
});

function linesOf(findings: readonly NamedJudgment[]): string {
  const width = Math.max(...findings.map(({ diagnosis }) => diagnosis.length));
  return findings.map(({ status, diagnosis, message }) => `${status.padEnd('warning'.length)}  ${diagnosis.padEnd(width)}  ${message}`).join('\n');
}
