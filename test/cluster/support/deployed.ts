import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DEPLOY = join(__dirname, '../../../deploy');

/**
 * A file of deploy/ with texts replaced by those of the test. What we ship is what is tested, so a text that is not
 * there exactly once is an error.
 */
export function deployed(file: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce(
    (text, [from, to]) => {
      const count = text.split(from).length - 1;
      if (count !== 1) throw new Error(`deploy/${file} has ${JSON.stringify(from)} ${count} times, not once.`);
      return text.replace(from, () => to);
    },
    readFileSync(join(DEPLOY, file), 'utf8'),
  );
}
