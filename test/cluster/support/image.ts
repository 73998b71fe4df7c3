import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder';

const ROOT = join(__dirname, '../../..');

/** A stage of the Dockerfile as a folder, with what its lines set. */
export interface Stage {
  folder: string;
  variables: Record<string, string>;
  labels: Record<string, string>;
  /** The words of CMD. */
  command: string[];
  /** The ids of USER, as options of a process; nothing where the caller cannot become another user. */
  user: { uid: number; gid: number } | Record<string, never>;
}

interface LockedPackage {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
}

/**
 * Follows the steps of the Dockerfile without Docker, and gives its last stage. `npm ci` links the installed packages
 * that it would have downloaded.
 */
export function buildImage(): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { instruction, rest } of instructions()) {
    if (instruction === 'FROM')
      stages.set(
        / AS (\w+)$/.exec(rest)?.[1] ?? 'last',
        (stage = { folder: temporaryFolder(), variables: {}, labels: {}, command: [], user: {} }),
      );
    else if (stage !== undefined) stepOf(instruction)(rest, stage, stages);
  }
  if (stage === undefined) throw new Error('The Dockerfile has no stage.');
  return stage;
}

function stepOf(instruction: string): Step {
  const step = STEPS[instruction];
  if (step === undefined) throw new Error(`The test does not know ${instruction}.`);
  return step;
}

function instructions(): { instruction: string; rest: string }[] {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => ({ instruction: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
}

type Step = (rest: string, stage: Stage, stages: ReadonlyMap<string, Stage>) => void;

const ignore: Step = () => {};
const STEPS: Readonly<Record<string, Step>> = {
  COPY: copy,
  RUN: (rest, stage) => (rest.startsWith('npm ci ') ? install(stage.folder, rest) : run(rest, stage)),
  ENV: (rest, { variables }) => readPairs(rest, variables),
  ARG: (rest, { variables }) => readPairs(rest, variables),
  LABEL: (rest, { labels }) => readPairs(rest, labels),
  CMD: (rest, stage) => (stage.command = JSON.parse(rest) as string[]),
  WORKDIR: ignore,
  USER: (rest, stage) =>
    (stage.user = process.getuid?.() === 0 ? { uid: Number(rest.split(':')[0]), gid: Number(rest.split(':')[1]) } : {}),
  EXPOSE: ignore,
  HEALTHCHECK: ignore,
};

function readPairs(rest: string, into: Record<string, string>): void {
  for (const [, name = '', quoted, plain] of rest.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g))
    into[name] = quoted ?? plain ?? '';
}

function copy(rest: string, { folder }: Stage, stages: ReadonlyMap<string, Stage>): void {
  const from = /^--from=(\w+) /.exec(rest)?.[1];
  const [to = '', ...sources] = rest
    .replace(/^--from=\w+ /, '')
    .split(' ')
    .reverse();
  const root = rootOf(from, stages);
  for (const source of sources.map((path) => path.replace(/^\/app\//, ''))) {
    if (from === undefined) expectInContext(source);
    const target = to.endsWith('/') ? join(folder, to, basename(source)) : join(folder, to);
    // Of the image, where all builds of Node are the same file.
    if (source.endsWith('/bin/node')) cpSync(process.execPath, target);
    else if (source === 'node_modules') linkTree(join(root, source), target, () => true);
    else
      cpSync(join(root, source), target, {
        recursive: true,
        filter: (path) => from !== undefined || !path.endsWith('.spec.ts'),
      });
  }
}

function rootOf(from: string | undefined, stages: ReadonlyMap<string, Stage>): string {
  const stage = from === undefined ? undefined : stages.get(from);
  return stage?.folder ?? ROOT;
}

function expectInContext(path: string): void {
  const isThere = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').includes(`!${path}`);
  if (!isThere) throw new Error(`.dockerignore leaves out ${path}.`);
}

/** Links what the flags of `npm ci` leave of the lockfile. */
function install(folder: string, command: string): void {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const [noDev, noOptional] = ['dev', 'optional'].map((kind) => command.includes(`--omit=${kind}`));
  const isOmitted = ({ dev, optional, devOptional }: LockedPackage) =>
    (dev === true && noDev) || (optional === true && noOptional) || (devOptional === true && noDev && noOptional);
  for (const [path, locked] of Object.entries(packages)) {
    // Optional packages of other platforms are in the lockfile only.
    if (path !== '' && isOmitted(locked) !== true && existsSync(join(ROOT, path)))
      linkTree(join(ROOT, path), join(folder, path), (name) => name !== 'node_modules');
  }
}

function linkTree(from: string, to: string, isWanted: (name: string) => boolean): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true }).filter(({ name }) => isWanted(name))) {
    if (entry.isDirectory()) linkTree(join(from, entry.name), join(to, entry.name), isWanted);
    else if (entry.isFile()) linkSync(join(from, entry.name), join(to, entry.name));
  }
}

function run(command: string, { folder, variables }: Stage): void {
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  execFileSync('sh', ['-c', command], {
    cwd: folder,
    env: { ...variables, PATH, HOME: folder },
    stdio: 'pipe',
  });
}
