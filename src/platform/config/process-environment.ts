import { existsSync, readFileSync } from 'node:fs';

/** Environment variables by name, before validation. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The problem of the file `.env`, if any; the file is optional, and variables that are set win over it. */
// Loaded with this module, before anything reads a variable. Tests pass all of their variables themselves.
export const envFileProblem = process.env['NODE_ENV'] === 'test' ? undefined : loadEnvFile('.env');

/** The lines of `.env` that say nothing, by their numbers: what they hold may be a secret. */
export const envFileWarnings =
  process.env['NODE_ENV'] === 'test' || envFileProblem !== undefined || !existsSync('.env')
    ? []
    : strayLines(readFileSync('.env', 'utf8')).map(
        (line) => `.env: line ${line} is not read; a setting is written NAME=value.`,
      );

/** Numbers of the lines that are no assignment, no comment and not blank, nor inside quotation marks. */
export function strayLines(text: string): number[] {
  const plain = text.replace(
    /^[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(["'`])[^]*?\1/gm,
    (quoted) => `A=${quoted.replace(/[^\n]/g, '')}`,
  );
  return plain
    .split(/\r?\n/)
    .flatMap((line, index) => (/^\s*(#.*|(export\s+)?[\w.-]+\s*=.*)?$/.test(line) ? [] : [index + 1]));
}

/** The variables of this process; empty ones count as absent. The only reader of `process.env`. */
export function environmentVariables(): Variables {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
}

/** Adds variables for a library that reads them itself. The only writer of `process.env`. */
export function addEnvironmentVariables(variables: Variables): void {
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}

function loadEnvFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    process.loadEnvFile(file);
    return undefined;
  } catch {
    return `${file}: cannot be read; is it a file, and may this user read it?`;
  }
}
