import { spawn } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { now } from './clock';
import type { Output, System } from './system';

/** The machine that the command line runs on; the one file that reads the environment. */
export function thisMachine(): System {
  const { env, stdin, platform } = process;
  const configFolder =
    env['XDG_CONFIG_HOME'] ?? (platform === 'win32' ? env['APPDATA'] : undefined) ?? join(homedir(), '.config');
  return {
    environment: env,
    out: output(process.stdout),
    errors: output(process.stderr),
    configFolder: join(configFolder, 'mcs'),
    isInputTerminal: stdin.isTTY,
    readInput: () => text(stdin),
    readLines,
    askSecretly,
    ask,
    openBrowser,
    removeFile,
    readFile: (path) => readFileSync(path, 'utf8'),
    readBytes: (path) => readFileSync(path),
    writeFile: (path, content) => writeFileSync(path, content),
    readFileBelow,
    listFilesBelow,
    writeNewFile,
    readPrivateFile,
    writePrivateFile,
    now,
    onInterrupt: (callback) => {
      process.on('SIGINT', callback);
      return () => process.off('SIGINT', callback);
    },
    exit: (code) => process.exit(code),
  };
}

function output(stream: NodeJS.WriteStream): Output {
  // The reader of a pipe may stop, as `head` does.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    // A full disk: a new key, for example, is lost.
    process.stderr.write(`mcs: The result could not be written (${error.code}).\n`);
    process.exit(1);
  });
  return {
    isTerminal: stream.isTTY,
    // Asked for each time, because windows change; some terminals say 0 when they do not know.
    get columns() {
      return atLeastOne(stream.columns) ?? 80;
    },
    get rows() {
      return atLeastOne(stream.rows) ?? 24;
    },
    write: (lines) => void stream.write(lines),
  };
}

function atLeastOne(count: number | undefined): number | undefined {
  return count === 0 ? undefined : count;
}

/** Ends of lines alone divide them; `node:readline` would divide texts at U+2028, too. */
async function* readLines(): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Without a shell: an address is data. */
function openBrowser(address: string): Promise<boolean> {
  const { platform, env } = process;
  if (platform === 'linux' && (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') === '') return Promise.resolve(false);
  const [program, ...args] =
    platform === 'darwin'
      ? (['open'] as const)
      : platform === 'win32'
        ? (['rundll32', 'url.dll,FileProtocolHandler'] as const)
        : (['xdg-open'] as const);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
    child
      .once('error', () => resolve(false))
      .once('spawn', () => {
        child.unref();
        resolve(true);
      });
  });
}

function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string | undefined>((resolve) => {
    lines
      .once('SIGINT', () => resolve(undefined))
      .once('close', () => resolve(undefined))
      .question(question, resolve);
  }).finally(() => lines.close());
}

function removeFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function readFileBelow(folder: string, path: string): string {
  const [root, file] = [realpathSync(folder), realpathSync(join(folder, path))];
  if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) throw new Error('it is outside of the folder');
  // A pipe or a device never ends.
  if (!statSync(file).isFile()) throw new Error('it is no ordinary file');
  return readFileSync(file, 'utf8');
}

function listFilesBelow(folder: string, path: string): string[] {
  return readdirSync(join(folder, path), { recursive: true, withFileTypes: true }).flatMap((file) =>
    file.isFile() ? [relative(folder, join(file.parentPath, file.name)).replaceAll(sep, '/')] : [],
  );
}

function writeNewFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { flag: 'wx' });
}

function readPrivateFile(path: string): { text: string; isPrivate: boolean } | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    // Windows has no such bits: there the folder of the user is private.
    return {
      text: readFileSync(file, 'utf8'),
      isPrivate: process.platform === 'win32' || (fstatSync(file).mode & 0o077) === 0,
    };
  } finally {
    closeSync(file);
  }
}

function writePrivateFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A new file, because the mode of an old one would stay.
  const written = `${path}.${process.pid}.tmp`;
  writeFileSync(written, content, { mode: 0o600 });
  renameSync(written, path);
}

/** Reads a line without echo; Backspace works, Ctrl C gives undefined. */
function askSecretly(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  // First, so that nothing typed in between is shown.
  stdin.setRawMode(true).setEncoding('utf8');
  stderr.write(question);
  return new Promise((resolve) => {
    let line = '';
    const end = (answer: string | undefined) => {
      stdin.off('data', read).setRawMode(false).pause();
      stderr.write('\n');
      resolve(answer);
    };
    const read = (typed: string) => {
      for (const character of typed) {
        if (character === '\u0003' || character === '\u0004') return end(undefined);
        if (character === '\r' || character === '\n') return end(line);
        line = character === '\u007f' || character === '\b' ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on('data', read).resume();
  });
}
