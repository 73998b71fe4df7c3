import '../bootstrap/check-node-version';
import { environmentVariables } from '../config/process-environment';
import { count } from '../bootstrap/terminal';
import { diagnose } from './doctor/diagnose';
import { worstOf, type Finding } from './doctor/finding';
import { runCommand } from '../bootstrap/run-command';

/** `npm run doctor`: looks at everything the service depends on, and says what is ok, what may go wrong and what is broken; ends with 1 if anything is. Changes nothing. */
void runCommand({ usage: 'npm run doctor [-- --json]', flags: ['json'] }, async ({ flags }) => {
  const findings = await diagnose(environmentVariables());
  const status = worstOf(findings);
  process.stdout.write(flags.has('json') ? `${JSON.stringify({ status, findings }, null, 2)}\n` : listOf(findings));
  if (status === 'broken') process.exitCode = 1;
});

function listOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ status, check, message }) => `${status.padEnd('warning'.length)}  ${check.padEnd(width)}  ${message}`);
  const number = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  return `${lines.join('\n')}\n\n${number('ok')} ok, ${count(number('warning'), 'warning')}, ${number('broken')} broken.\n`;
}
