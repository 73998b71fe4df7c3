import '../bootstrap/check-node-version';
import { runCommand } from '../bootstrap/run-command';
import { alignColumns, count } from '../bootstrap/terminal';
import { environmentVariables } from '../platform/config/process-environment';
import { diagnose } from './doctor/diagnose';
import type { Status } from './doctor/finding';

/**
 * `npm run doctor`: diagnoses everything the service depends on: what is ok, what may go wrong and what is broken;
 * exits with 1 if anything is. Changes nothing.
 */
void runCommand({ usage: 'npm run doctor [-- --json]', flags: ['json'] }, async ({ flags }) => {
  const findings = await diagnose(environmentVariables());
  const number = (status: Status) => findings.filter((finding) => finding.status === status).length;
  const status = (['broken', 'warning'] as const).find((each) => number(each) > 0) ?? 'ok';
  const sum = `${number('ok')} ok, ${count(number('warning'), 'warning')}, ${number('broken')} broken.`;
  process.stdout.write(
    flags.has('json')
      ? `${JSON.stringify({ status, findings }, null, 2)}\n`
      : `${alignColumns(findings.map(({ status: of, diagnosis, message }) => [of, diagnosis, message])).join('\n')}\n\n${sum}\n`,
  );
  if (status === 'broken') process.exitCode = 1;
});
