import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The flags and variables of `npm start` in the version that a built script belongs to. */
export function startScript(script: string): { flags: string[]; variables: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(join(dirname(script), '../../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const words = (scripts.start.split('&&').at(-1) ?? '').trim().split(' ');
  const variables = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('='));
  return {
    flags: words.filter((word) => word.startsWith('--')),
    variables: Object.fromEntries(variables) as Record<string, string>,
  };
}
