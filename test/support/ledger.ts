import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operator, type Json } from './api';
import { runCommand } from './command';
import { onDatabase } from './database';
import { Caller } from './factories';
import { temporaryFolder } from './temporary-folder';

const SCALE = 40;

/** A JSON text with every number as its exact digits, since floats would hide errors. */
export function exact(text: string): Json {
  const asWritten = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? '') : value;
  return JSON.parse(text, asWritten);
}

/** A plain decimal as a whole number of 10^-40 dollars; refuses an exponent. */
export function units(decimal: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (match === null) throw new Error(`${decimal} is no plain decimal`);
  const [, sign, whole = '', fraction = ''] = match;
  const amount = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return sign === '-' ? -amount : amount;
}

/** The shortest plain decimal of a whole number of 10^-40 dollars. */
export function decimalOf(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The exact sum of plain decimals, as the shortest plain decimal. */
export function sumOf(decimals: readonly string[]): string {
  return decimalOf(decimals.reduce((sum, decimal) => sum + units(decimal), 0n));
}

/** The exact product of a plain decimal and a whole fraction. */
export function timesOf(decimal: string, numerator: bigint, denominator: bigint): string {
  const product = units(decimal) * numerator;
  if (product % denominator !== 0n) throw new Error('more digits than fit here');
  return decimalOf(product / denominator);
}

/** The month's charge in GET /usage, digit for digit. */
export async function chargedOf(caller: Caller, month?: string): Promise<string> {
  return exact((await caller.get(`/api/v1/usage${month === undefined ? '' : `?month=${month}`}`)).text)
    .total_charge_usd as string;
}

/** Another key of the same user, with separate limits. */
export async function anotherKey(
  caller: Caller,
  settings: { monthly_spend_limit_usd?: number; allowed_models?: string[]; scopes?: string[] } = {},
): Promise<Caller> {
  const issued = await operator(caller.url).post(`/api/v1/admin/users/${caller.userId}/keys`, {
    name: 'another',
    ...settings,
  });
  return new Caller(issued.body.api_key, caller.userId, caller.email, issued.body.id, caller.url);
}

/** How many reservations a user's running evals hold. */
export async function reservationsOf(databaseUrl: string, userId: string): Promise<number> {
  return onDatabase(
    databaseUrl,
    async (client) =>
      (await client.query('select 1 from reservations where user_id = $1 and expires_at > clock_timestamp()', [userId]))
        .rowCount ?? 0,
  );
}

/** The eval of a streamed answer, as its text. */
export function streamedEval(text: string): string {
  const found = /^event: eval\ndata: (.*)$/m.exec(text)?.[1];
  if (found === undefined) throw new Error(`No eval in ${text}`);
  return found;
}

/** Runs `npm run ledger:verify` on a database. */
export function verifyLedger(databaseUrl: string): Promise<{ status: number | null; output: string }> {
  return runCommand('ledger-verify', { DATABASE_URL: databaseUrl });
}

/** Runs `npm run evals:restore -- FILE` on a log. */
export function restoreLog(databaseUrl: string, log: string): Promise<{ status: number | null; output: string }> {
  const file = join(temporaryFolder(), 'service.log');
  writeFileSync(file, log);
  return runCommand('evals-restore', { DATABASE_URL: databaseUrl, SIMULATOR: 'on' }, [file]);
}
