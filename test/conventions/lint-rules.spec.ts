import { join } from 'node:path';
import { Linter, type ESLint } from 'eslint';
import { parser } from 'typescript-eslint';

/** The messages of one of our rules about a file with that content. */
async function complaints(rule: string, code: string, filename = 'src/example.ts'): Promise<string[]> {
  const { localRules } = (await import(join(__dirname, 'eslint-rules.mjs'))) as { localRules: ESLint.Plugin };
  const messages = new Linter({ cwd: '/' }).verify(code, [{
    files: ['**/*.ts'], languageOptions: { parser }, plugins: { local: localRules }, linterOptions: { reportUnusedDisableDirectives: 'off' }, rules: { [`local/${rule}`]: 'error' },
  }], { filename: `/${filename}` });
  return messages.filter(({ ruleId }) => ruleId === `local/${rule}`).map(({ message }) => message);
}

describe('local/file-suffix', () => {
  it.each([
    ['src/auth/rate-limit.guard.ts', 'export class RateLimitGuard {}'],
    ['src/auth/token-counter.service.ts', 'export class CountingError extends Error {} export class TokenCounterService {}'],
    ['src/billing/month-total.entity.ts', 'export const DIMENSIONS = []; export class MonthTotal {}'],
    ['src/http/field.decorators.ts', 'export function Field() {} class FieldService {}'],
    ['src/auth/auth.service.spec.ts', 'describe("", () => undefined)'],
    ['src/common/money.ts', 'export class Money {}'],
  ])('local/file-suffix accepts %s with the content %s', async (file, code) => {
    expect(await complaints('file-suffix', code, file)).toEqual([]);
  });

  it.each([
    ['src/auth/auth.service.ts', 'export class Auth {}', ['A .service.ts file exports a class with its name: AuthService.']],
    ['src/auth/api-key.repository.ts', 'class ApiKeyRepository {}', ['A .repository.ts file exports a class with its name: ApiKeyRepository.']],
    ['src/auth/api-key.entity.ts', 'export class Key {}', ['A .entity.ts file exports a class with its name: ApiKey.']],
    ['src/auth/auth.service.ts', 'export class AuthService {} export class OtherService {}', ['OtherService belongs in a .service.ts file with its name.']],
    ['src/auth/auth.ts', 'export class AuthGuard {}', ['AuthGuard belongs in a .guard.ts file with its name.']],
    ['src/auth/auth.decorators.ts', 'export class Field {}', ['A .decorators.ts file exports functions.']],
  ])('local/file-suffix reports %s with the content %s', async (file, code, expected) => {
    expect(await complaints('file-suffix', code, file)).toEqual(expected);
  });
});

describe('local/plain-words', () => {
  it.each([
    ['the type Promise and a variable for one', '// Rejects with the error of `promise`.\nconst promise: Promise<void> = run();'],
    ['ordinary uses of place', '// Replaced in place, in one place; takes place with two decimal places and a placeholder.\nconst placeholder = text.replace(a, b);'],
    ['room for something', '// Makes room for callers.'],
    ['words that only contain a retired one', "const facebook = 'warehouse, Open Door, bookshelf, emphasis, programming, hour, four';"],
    ['American spellings', "const canceled = 'behavior of a licensed catalog, analyses';"],
    ['modules by their names', "import { readFile } from 'node:fs/promises'; jest.mock('node:timers/promises'); import '../places/door';"],
    ['what stands in code', '// Compares `MOST_EVALS` with `place`.'],
  ])('local/plain-words accepts %s', async (_, code) => {
    expect(await complaints('plain-words', code)).toEqual([]);
  });

  it.each([
    ['const isPromised = true;', '"promised" in "isPromised": use reserved, reservation'],
    ['const needsNoPromise = true;', '"needsNoPromise": use canSkipReservation'],
    ['// A promise lasts two minutes.', '"promise": use reservation'],
    ['const placesLeft = 1;', '"places" in "placesLeft": use slot, lease, position'],
    ['// Gives its place back.', '"place": use slot, lease, or what is meant'],
    ['/** The only file where the rooms meet. */', '"rooms": use module'],
    ["const text = 'the house';", '"house": use application'],
    ['const text = `at the door`;', '"door": use endpoint'],
    ['const patienceMs = 5;', '"patience" in "patienceMs": use timeout'],
    ['class A { #knock = 1; }', '"knock" in "knock": use call'],
    ['// The books differ.', '"books": use ledger'],
    ['// The database is away.', '"is away": use unreachable'],
    ['const MOST_EVALS = 5;', '"MOST_EVALS": use MAX_'],
    ['const LONGEST_WAIT_MS = 5;', '"LONGEST_WAIT_MS": use MAX_'],
    ['const OLDEST = 5;', '"OLDEST": use MIN_ or MAX_'],
    ['const LOOK_MS = 5;', '"LOOK_MS": use INTERVAL'],
    ['const FRESH_MS = 5;', '"FRESH_MS": use TTL'],
    ['const chore = run();', '"chore" in "chore": use task'],
    ['const told: string[] = [];', '"told": use a noun'],
    ['const formerPepper = 1;', '"former" in "formerPepper": use previous'],
    ['const catalogue = [];', '"catalogue": use the American spelling (catalog…)'],
    ['// Cancelled by a neighbour.', '"cancelled": use the American spelling (canceled…)'],
    ['// unrecognised', '"unrecognised": use the American spelling (recogniz…)'],
  ])('local/plain-words reports %s', async (code, expected) => {
    expect(await complaints('plain-words', code)).toContain(`Retired word ${expected}.`);
  });
});

describe('local/explained-exception', () => {
  it('local/explained-exception accepts a disabled rule for one line, by name and with a reason', async () => {
    expect(await complaints('explained-exception', '// eslint-disable-next-line no-var -- generated\nlet a;')).toEqual([]);
  });

  it.each(['// eslint-disable-next-line no-var', '// eslint-disable-next-line', '/* eslint-disable no-var -- everywhere */', '// eslint-disable-line no-var --'])('local/explained-exception reports %s', async (comment) => {
    expect(await complaints('explained-exception', `let a; ${comment}`)).toHaveLength(1);
  });
});
