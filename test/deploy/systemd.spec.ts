import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../cluster/support/program';
import { describeWith } from '../cluster/support/programs';
import { read } from '../conventions/docs.markdown';
import { temporaryFolder } from '../support/temporary-folder';
import { unitProblems } from './unit';

const unit = read('deploy/mcs.service');

describe('deploy/mcs.service', () => {
  it('sets what the service reads, and leaves it enough time to stop', () => {
    expect(unitProblems(unit)).toEqual([]);
  });

  it.each([
    ['a setting that does not exist', 'MIGRATE_ON_START', 'MIGRATE_AT_START', 'MIGRATE_AT_START is no setting'],
    ['a credential that is not loaded', 'LoadCredential=database-url', 'LoadCredential=database', 'database-url is not loaded'],
    ['a credential that is not read', 'OPENAI_API_KEY_FILE=%d/openai-api-key', 'OPENAI_API_KEY_FILE=%d/anthropic-api-key', 'openai-api-key is not read'],
    ['a secret that is missing', /^.*PEPPER_FILE.*\n/m, '', 'API_KEY_PEPPER: is missing'],
    ['a secret in the open', 'API_KEY_PEPPER_FILE=%d/api-key-pepper', 'API_KEY_PEPPER=0123456789abcdef', 'API_KEY_PEPPER is no file'],
    ['too little time to stop', 'TimeoutStopSec=120', 'TimeoutStopSec=105', '105 s are not enough to stop, which can take 105 s'],
  ])('is refused with %s', (_mistake, from, to, problem) => {
    expect(unitProblems(unit.replace(from, to))).toContain(problem);
  });

  it('starts what the build makes', () => {
    const file = /^ExecStart=.* \/opt\/mcs\/(\S+)$/m.exec(unit)?.[1];
    expect(file).toBeDefined();
    expect(existsSync(join(__dirname, '../..', file ?? ''))).toBe(true);
  });
});

describeWith(['systemd-analyze'], 'systemd', () => {
  /** The unit in a separate folder, with a Node that is on this machine. */
  const write = (): string => {
    const file = join(temporaryFolder(), 'mcs.service');
    writeFileSync(file, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`));
    return file;
  };

  it('finds nothing wrong with deploy/mcs.service', async () => {
    expect(await runProgram('systemd-analyze', ['verify', write()], { folder: temporaryFolder() })).toBe('');
  });

  it('rates what an intruder could do from deploy/mcs.service at most 3.0 of 10', async () => {
    const printed = await runProgram('systemd-analyze', ['security', '--offline=true', write()], { folder: temporaryFolder() });
    const rating = /Overall exposure level for mcs\.service: ([\d.]+)/.exec(printed)?.[1];
    expect(Number(rating)).toBeLessThanOrEqual(3);
    expect(Number(rating)).toBeGreaterThan(0);
  });
});
