import { RE2JS } from 're2js';
import { boundsProblem } from './pattern-bounds';

const MAX_INSTRUCTIONS = 2000;
const FLAGS: Readonly<Record<string, number>> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL };

/** A pattern cannot be used; the message is the rest of a sentence that begins with its path. */
export class PatternError extends Error {}

/** A pattern as RE2 compiles it. @throws PatternError */
export function compilePattern(pattern: string, flags = ''): RE2JS {
  const problem = boundsProblem(pattern);
  if (problem !== undefined) throw new PatternError(problem);
  const compiled = compiledBy(
    pattern,
    Array.from(flags).reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0),
  );
  const size = compiled.programSize();
  if (size > MAX_INSTRUCTIONS)
    throw new PatternError(
      ` needs ${size.toLocaleString('en-US')} instructions of RE2; the maximum is ${MAX_INSTRUCTIONS.toLocaleString('en-US')}`,
    );
  return compiled;
}

function compiledBy(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    throw new PatternError(` is not a pattern of RE2: ${reasonOf(error)}`, { cause: error });
  }
}

/** RE2's own words, without the pattern at their end. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return /^error parsing regexp: ([^:`]+)/.exec(message)?.[1]?.trim() ?? 'it cannot be compiled';
}
