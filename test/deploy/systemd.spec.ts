import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../cluster/support/program';
import { describeWith } from '../cluster/support/programs';
import { read } from '../conventions/docs.markdown';
import { temporaryFolder } from '../support/temporary-folder';
import { settingProblems, unitProblems } from './unit';

const unit = read('deploy/mcs.service');
/** The daily units. */
const DAILY = ['mcs-ledger-verify', 'mcs-backup'];

describe('deploy/mcs.service', () => {
  it('sets what the service reads, and leaves it enough time to stop', () => {
    expect(unitProblems(unit)).toEqual([]);
  });

  it.each([
    ['a setting that does not exist', 'MALLOC_ARENA_MAX=2', 'MIGRATE_AT_START=on', 'MIGRATE_AT_START is no setting'],
    [
      'migrations by a role that may not',
      'MALLOC_ARENA_MAX=2',
      'MIGRATE_ON_START=on',
      "the service's role may not migrate",
    ],
    [
      'a refused start that is tried again',
      'RestartPreventExitStatus=78',
      'RestartPreventExitStatus=2',
      'a start that was refused is tried for ever',
    ],
    [
      'a credential that is not loaded',
      'LoadCredential=database-url',
      'LoadCredential=database',
      'database-url is not loaded',
    ],
    [
      'a credential that is not read',
      'OPENAI_API_KEY_FILE=%d/openai-api-key',
      'OPENAI_API_KEY_FILE=%d/anthropic-api-key',
      'openai-api-key is not read',
    ],
    ['a secret that is missing', /^.*PEPPER_FILE.*\n/m, '', 'API_KEY_PEPPER: is missing'],
    [
      'a secret in the open',
      'API_KEY_PEPPER_FILE=%d/api-key-pepper',
      'API_KEY_PEPPER=0123456789abcdef',
      'API_KEY_PEPPER is no file',
    ],
    [
      'too little time to stop',
      'TimeoutStopSec=120',
      'TimeoutStopSec=105',
      '105 s are not enough to stop, which can take 105 s',
    ],
  ])('is refused with %s', (_mistake, from, to, problem) => {
    expect(unitProblems(unit.replace(from, to))).toContain(problem);
  });

  it('starts what the build makes', () => {
    const files = [unit, read('deploy/mcs-ledger-verify.service')].map(
      (text) => /^ExecStart=.* \/opt\/mcs\/(\S+)$/m.exec(text)?.[1],
    );
    for (const file of files)
      expect([file, existsSync(join(__dirname, '../..', file ?? 'nowhere'))]).toEqual([file, true]);
  });
});

describe('What runs every day under systemd', () => {
  it('verifies the ledger as the owner of the tables, with the settings of the service', () => {
    const text = read('deploy/mcs-ledger-verify.service');
    expect(settingProblems(text)).toEqual([]);
    expect(text).toContain('\nEnvironment=DATABASE_URL_FILE=%d/owner-url\n');
  });

  it.each(DAILY)('is started every day by %s.timer, also after the machine was off', (name) => {
    const timer = read(`deploy/${name}.timer`);
    expect(timer).toMatch(/^OnCalendar=\*-\*-\* \d\d:\d\d:00 UTC$/m);
    expect(timer).toContain('\nPersistent=true\n');
  });

  it.each(DAILY)('leaves the time of its success, of which an alert is made: %s', (name) => {
    const metric = /echo "(\w+) \$\$\(date \+%%s\)"/.exec(read(`deploy/${name}.service`))?.[1];
    expect(read('deploy/prometheus/alerts.yml')).toContain(
      `max(${metric} or kube_cronjob_status_last_successful_time{cronjob="${name}"})`,
    );
  });
});

describeWith(['systemd-analyze'], 'systemd', () => {
  /** Units in a new folder, with a Node that is on this machine. */
  const write = (name: string): string => {
    const folder = temporaryFolder();
    for (const file of [`${name}.service`, ...(DAILY.includes(name) ? [`${name}.timer`] : [])]) {
      writeFileSync(
        join(folder, file),
        read(`deploy/${file}`).replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`),
      );
    }
    return join(folder, DAILY.includes(name) ? `${name}.timer` : `${name}.service`);
  };

  it.each(['mcs', ...DAILY])('finds nothing wrong with deploy/%s.service', async (name) => {
    expect(await runProgram('systemd-analyze', ['verify', write(name)], { folder: temporaryFolder() })).toBe('');
  });

  it.each(['mcs', ...DAILY])(
    'rates what an intruder could do from deploy/%s.service at most 3.0 of 10',
    async (name) => {
      const printed = await runProgram(
        'systemd-analyze',
        ['security', '--offline=true', write(name).replace('.timer', '.service')],
        { folder: temporaryFolder() },
      );
      const rating = /Overall exposure level for \S+\.service: ([\d.]+)/.exec(printed)?.[1];
      expect(Number(rating)).toBeLessThanOrEqual(3);
      expect(Number(rating)).toBeGreaterThan(0);
    },
  );
});
