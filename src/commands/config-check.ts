import '../bootstrap/check-node-version';
import { runCommand } from '../bootstrap/run-command';
import { alignColumns } from '../bootstrap/terminal';
import { reportOf, type ConfigReport } from '../platform/config/config-report';
import { environmentVariables } from '../platform/config/process-environment';
import { catalogProblems } from '../modules/models/load-catalog';

/**
 * `npm run config:check`: prints every setting with its source, and what is wrong with them, without connecting
 * anywhere; ends with 1 if the service would not start.
 */
function check(isJson: boolean): void {
  const report = reportOf(environmentVariables(), catalogProblems);
  process.stdout.write(isJson ? `${JSON.stringify(report, null, 2)}\n` : tableOf(report));
  if (report.problems.length > 0) process.exitCode = 1;
}

function tableOf({ settings, problems, warnings, margin }: ConfigReport): string {
  const lines = alignColumns(settings.map(({ name, source, value }) => [name, source, value ?? '–']));
  if (margin !== null) lines.push('', `The margin is ${margin} on top of what vendors charge.`);
  for (const sentence of warnings) lines.push('', sentence);
  lines.push(
    '',
    problems.length === 0
      ? 'The service can start with these settings.'
      : `The service cannot start with these settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
  );
  return `${lines.join('\n')}\n`;
}

void runCommand({ usage: 'npm run config:check [-- --json]', flags: ['json'] }, async ({ flags }) =>
  check(flags.has('json')),
);
