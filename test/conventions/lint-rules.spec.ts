import { join } from 'node:path';
import { Linter, type ESLint } from 'eslint';
import { parser } from 'typescript-eslint';

/** The messages of one of our rules about a file with that content. */
async function complaints(rule: string, code: string, filename = 'src/example.ts'): Promise<string[]> {
  const { localRules } = (await import(join(__dirname, 'eslint-rules.mjs'))) as { localRules: ESLint.Plugin };
  const messages = new Linter({ cwd: '/' }).verify(
    code,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser },
        plugins: { local: localRules },
        linterOptions: { reportUnusedDisableDirectives: 'off' },
        rules: { [`local/${rule}`]: 'error' },
      },
    ],
    { filename: `/${filename}` },
  );
  return messages.filter(({ ruleId }) => ruleId === `local/${rule}`).map(({ message }) => message);
}

describe('local/file-suffix', () => {
  it.each([
    ['src/modules/auth/rate-limit.guard.ts', 'export class RateLimitGuard {}'],
    [
      'src/modules/auth/token-counter.service.ts',
      'export class CountingError extends Error {} export class TokenCounterService {}',
    ],
    ['src/modules/billing/month-total.entity.ts', 'export const DIMENSIONS = []; export class MonthTotal {}'],
    ['src/platform/http/field.decorators.ts', 'export function Field() {} class FieldService {}'],
    ['src/modules/auth/auth.service.spec.ts', 'describe("", () => undefined)'],
    ['src/common/money.ts', 'export class Money {}'],
  ])('local/file-suffix accepts %s with the content %s', async (file, code) => {
    expect(await complaints('file-suffix', code, file)).toEqual([]);
  });

  it.each([
    [
      'src/modules/auth/auth.service.ts',
      'export class Auth {}',
      ['A .service.ts file exports a class with its name: AuthService.'],
    ],
    [
      'src/modules/auth/api-key.repository.ts',
      'class ApiKeyRepository {}',
      ['A .repository.ts file exports a class with its name: ApiKeyRepository.'],
    ],
    [
      'src/modules/auth/api-key.entity.ts',
      'export class Key {}',
      ['A .entity.ts file exports a class with its name: ApiKey.'],
    ],
    [
      'src/modules/auth/auth.service.ts',
      'export class AuthService {} export class OtherService {}',
      ['OtherService belongs in a .service.ts file with its name.'],
    ],
    ['src/modules/auth/auth.ts', 'export class AuthGuard {}', ['AuthGuard belongs in a .guard.ts file with its name.']],
    ['src/modules/auth/auth.decorators.ts', 'export class Field {}', ['A .decorators.ts file exports functions.']],
  ])('local/file-suffix reports %s with the content %s', async (file, code, expected) => {
    expect(await complaints('file-suffix', code, file)).toEqual(expected);
  });
});

describe('local/plain-words', () => {
  it.each([
    ['American spellings', "const canceled = 'behavior of a licensed catalog, analyses';"],
    ['words that only contain a British one', "const text = 'emphasis, programming, hour, four';"],
    ['modules by their names', "import '../colours/catalogue';"],
    ['phrases in code', '// Calls `whoever` before `anew`.'],
    ['idioms in strings', "const text = 'Whoever tells nobody anything anew';"],
    ['standing for something', '// A star stands for any name.'],
    ['So long as', '// Waits so long as the lock is held.'],
    ['What within a comment', '// Says what changed.'],
  ])('local/plain-words accepts %s', async (_, code) => {
    expect(await complaints('plain-words', code)).toEqual([]);
  });

  it.each([
    ['src/clients/page/hint.ts', 'const hint = "It was told so.";'],
    ['src/clients/cli/program.ts', 'option(`${many} were given back`);'],
    ['src/modules/runs/runs.service.ts', "this.log.warn('Runs are given back now');"],
    ['src/modules/runs/runs.service.spec.ts', "it('tells the caller', () => {});"],
    ['src/modules/runs/runs.service.spec.ts', "it.each([1])('tells the caller', () => {});"],
  ])('local/plain-words reports idioms in texts of %s', async (file, code) => {
    expect(await complaints('plain-words', code, file)).toHaveLength(1);
  });

  it.each([
    ['// Whoever waits.', '"Whoever": use a subject, such as "the caller"'],
    ['// After so many tries.', '"so many": use the name of the number'],
    ['/** The row stands in the table. */', '"stands": use "is"'],
    ['// Says what became of it.', '"what became of": use "the result of"'],
    ['// The last one that failed.', '"one that": use the noun'],
    ['// A user who has a key.', '"who has": use the noun'],
    ['// The caller is told.', '"told": use "reports", "receives" or "shows"'],
    ['// Gives back the rest.', '"Gives back": use "returns" or "releases"'],
    ['// Left as it was.', '"as it was": use "unchanged" or "raw"'],
    ['// Begins anew.', '"anew": use "again"'],
    ['// A pool of its own.', '"of its own": use "separate"'],
    ['// Does the same for those.', '"the same for those": use the noun'],
    ['/**\n * What a run is.\n */', 'a comment begins with What or Whether: begin with a noun, "Returns" or "True if"'],
    ['// Whether it ended.', 'a comment begins with What or Whether: begin with a noun, "Returns" or "True if"'],
    ['const catalogue = [];', '"catalogue": use the American spelling (catalog…)'],
    ['// Cancelled by a neighbour.', '"cancelled": use the American spelling (canceled…)'],
    ['// unrecognised', '"unrecognised": use the American spelling (recogniz…)'],
  ])('local/plain-words reports %s', async (code, expected) => {
    expect(await complaints('plain-words', code)).toContain(`Plain words: ${expected}.`);
  });
});

describe('local/explained-exception', () => {
  it('local/explained-exception accepts a disabled rule for one line, by name and with a reason', async () => {
    expect(await complaints('explained-exception', '// eslint-disable-next-line no-var -- generated\nlet a;')).toEqual(
      [],
    );
  });

  it.each([
    '// eslint-disable-next-line no-var',
    '// eslint-disable-next-line',
    '/* eslint-disable no-var -- everywhere */',
    '// eslint-disable-line no-var --',
  ])('local/explained-exception reports %s', async (comment) => {
    expect(await complaints('explained-exception', `let a; ${comment}`)).toHaveLength(1);
  });
});
