import { execFileSync } from 'node:child_process';

/** A released version and its commit. */
export interface Release {
  version: string;
  commit: string;
}

/** The last commit before the changelog had a section "Unreleased"; it was released without a commit for it. */
export const RELEASE_0_2_0: Release = { version: '0.2.0', commit: 'd6b14e8f70053aa17a4df0f99beb4b6fa0a23b9f' };

const SUBJECT = '^Release [0-9]+\\.[0-9]+\\.[0-9]+$';

/** The newest release before this commit, known by its subject, because a clone may come without tags. */
export function lastRelease(): Release {
  const [, version, commit] = git('log', '-E', `--grep=${SUBJECT}`, '--format=%s %H', '-1', 'HEAD^').split(' ');
  return version === undefined || commit === undefined ? RELEASE_0_2_0 : { version, commit };
}

/** A file of a release. @throws if this clone has not the whole history */
export function fileOf({ commit }: Release, path: string): string {
  return git('show', `${commit}:${path}`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: __dirname, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim();
}
