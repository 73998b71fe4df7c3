import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '../support/free-port';
import { temporaryFolder } from '../support/temporary-folder';
import { commandsIn, sectionsWithCommands } from './support/guide';
import { Postgres } from './support/postgres';
import { describeWith, programPath } from './support/programs';

const ROOT = join(__dirname, '../..');

/** Sections whose commands are run elsewhere: backup.spec.ts and failover.spec.ts. */
const ELSEWHERE = ['Restore to a point in time', 'Fail over'];

/** The process of the service ends with the shell, and a command that fails ends it with the last lines of the log. */
const PRELUDE = `set -euo pipefail
trap 'status=$?; [ "$status" -eq 0 ] || tail -n 20 "\${LOG:-/dev/null}"; [ -z "\${MCS:-}" ] || kill -KILL "$MCS" 2> /dev/null || true; exit "$status"' EXIT
`;

/** The output of a shell that runs all of these commands in sequence, until one fails. */
async function shell(
  commands: string,
  variables: Record<string, string>,
): Promise<{ status: number; printed: string }> {
  const folders = [join(ROOT, 'node_modules/.bin'), dirname(programPath('psql')), process.env['PATH']];
  const env = { PATH: folders.join(delimiter), HOME: temporaryFolder(), LANG: 'C.UTF-8', ...variables };
  return new Promise((resolve) => {
    execFile('bash', ['-c', PRELUDE + commands], { cwd: ROOT, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), printed: stdout + stderr }),
    );
  });
}

describeWith(['postgres', 'psql', 'pg_dump', 'promtool', 'curl', 'openssl'], 'The guide to deployment', () => {
  it('installs, watches, upgrades, rotates every secret, backs up and restores, command by command', async () => {
    const [postgres, port] = [await Postgres.start({ fsync: 'on' }), await freePort()];
    const folder = mkdtempSync(join(tmpdir(), 'mcs-guide-'));
    const replacements: [string, string][] = [
      ['SECRETS=/etc/mcs/credentials\n', `SECRETS=${folder}/credentials\n`],
      ['POSTGRES=postgres:5432\n', `POSTGRES=127.0.0.1:${postgres.port}\n`],
      ['ADMINISTRATOR_URL=postgresql://postgres@', 'ADMINISTRATOR_URL=postgresql://mcs@'],
      ['URL=http://127.0.0.1:3000\n', `URL=http://127.0.0.1:${port}\n`],
      ['LOG=/var/log/mcs.log\n', `LOG=${folder}/mcs.log\n`],
      ['BACKUPS=/var/backups/mcs\n', `BACKUPS=${folder}/backups\n`],
    ];
    const commands = replacements.reduce(
      (text, [from, to]) => {
        expect(text).toContain(from);
        return text.replace(from, () => to);
      },
      commandsIn(...sectionsWithCommands().filter((heading) => !ELSEWHERE.includes(heading))).join('\n'),
    );

    const { status, printed } = await shell(commands, { PORT: String(port), DRAIN_SECONDS: '0' });
    expect({ status, printed: status === 0 ? '' : printed }).toEqual({ status: 0, printed: '' });
    expect(printed.match(/^The ledger is consistent: 1 eval in 1 monthly total\.$/gm)).toHaveLength(2);
    expect(printed.match(/, 0 broken\.$/gm)).toHaveLength(5);
    expect(printed).toContain('"eval_id"');
  }, 300_000);

  it('has only commands that this test runs', () => {
    for (const heading of ELSEWHERE) expect(sectionsWithCommands()).toContain(heading);
    expect(commandsIn()).toEqual(commandsIn(...sectionsWithCommands()));
  });
});
