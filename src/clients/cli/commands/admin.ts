import type { Scope } from '../../client/api.gen';
import { contextOf, type CommonOptions, type Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { firstOf, pageSize } from '../lists';
import { numberOf } from '../request';
import { ADMIN_KEY } from '../settings';
import type { System } from '../system';

/** Options of all commands of `mcs admin`, and their argument. */
export interface AdminOptions extends CommonOptions {
  /** The id of the user, key or charge, or the e-mail address of the user. */
  id: string;
  number: string;
  freeQuota?: number | 'null';
  hasPaymentMethod?: 'true' | 'false';
  maxPerMonth?: number | 'null';
  monthlySpendLimitUsd?: number | 'null';
  amountUsd: number;
  reason: string;
  month?: string;
  name: string;
  expiresAt?: string;
  models?: string[] | 'null';
  allowedModels?: string[] | 'null';
  scopes?: Scope[] | 'null';
  overlapSeconds?: number;
  target?: string | undefined;
  state?: 'parked' | 'waiting' | 'sent' | 'empty';
  notReceived?: true;
}

type AdminApi = Context['mcs']['admin'];

/** The result of a command: one record, or a list under its name in the API with the columns of its table. */
interface Result {
  record?: object;
  list?: { name: string; items: object[]; columns: string[] };
  note?: string;
}

const SHOWN_ONCE = 'The key is shown only this once.';
const USER_COLUMNS = ['id', 'created_at', 'free_quota', 'has_payment_method', 'monthly_spend_limit_usd', 'email'];
const KEY_COLUMNS = [
  'id',
  'prefix',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
  'monthly_spend_limit_usd',
  'name',
];
const AUDIT_COLUMNS = ['at', 'action', 'target_id', 'request_id', 'address', 'actor', 'changes'];
const EVENT_COLUMNS = [
  'charge_id',
  'user_id',
  'state',
  'amount_usd',
  'occurred_at',
  'attempts',
  'next_attempt_at',
  'sent_at',
  'last_error',
];

const TASKS = {
  'users create': async (admin, options) => ({
    record: await admin.createUser({ email: options.id, ...settingsOf(options) }),
  }),
  'users list': async (admin, { number }) => ({
    list: { name: 'users', items: await usersOf(admin, numberOf('--number', number)), columns: USER_COLUMNS },
  }),
  'users show': async (admin, { id }) => ({ record: await admin.getUser(id) }),
  'users limit': async (admin, options) => {
    const settings = settingsOf(options);
    if (Object.values(settings).every((value) => value === undefined))
      throw new UsageError(
        'Nothing to change: name at least one of --free-quota, --has-payment-method and --max-per-month.',
      );
    return { record: await admin.updateUser(options.id, settings) };
  },
  'users adjust': async (admin, { id, amountUsd, reason, month }) => ({
    record: await admin.adjust(id, { amount_usd: amountUsd, reason, ...(month !== undefined && { month }) }),
  }),
  'keys issue': async (
    admin,
    { id, name, expiresAt, maxPerMonth, monthlySpendLimitUsd, models, allowedModels, scopes },
  ) => {
    const settings = {
      expires_at: orNull(expiresAt),
      monthly_spend_limit_usd: orNull(maxPerMonth ?? monthlySpendLimitUsd),
      allowed_models: orNull(models ?? allowedModels),
      scopes: orNull(scopes),
    };
    return { record: keyFirst(await admin.issueKey(id, { name, ...settings })), note: SHOWN_ONCE };
  },
  'keys list': async (admin, { id }) => ({
    list: { name: 'keys', items: (await admin.listKeys(id)).keys, columns: KEY_COLUMNS },
  }),
  'keys revoke': async (admin, { id }) => {
    await admin.revokeKey(id);
    return { record: await admin.getKey(id) };
  },
  'keys rotate': async (admin, { id, overlapSeconds }) => ({
    record: keyFirst(await admin.rotateKey(id, { overlap_seconds: overlapSeconds })),
    note: SHOWN_ONCE,
  }),
  usage: async (admin, { id, month }) => ({ record: await admin.getUsage(id, { month }) }),
  audit: async (admin, { target, number }) => ({
    list: {
      name: 'entries',
      items: await firstOf(numberOf('--number', number), ({ limit }) => admin.listAuditEntries({ limit, target })),
      columns: AUDIT_COLUMNS,
    },
  }),
  'meter-events list': async (admin, { state, number }) => ({
    list: {
      name: 'events',
      items: await firstOf(numberOf('--number', number), ({ limit }) => admin.listMeterEvents({ limit, state })),
      columns: EVENT_COLUMNS,
    },
  }),
  'meter-events resend': async (admin, { id, notReceived }) => {
    if (notReceived !== true)
      throw new UsageError(
        'Look in Stripe first: an event that arrived would be charged twice. If it did not arrive, repeat the command with --not-received.',
      );
    return { record: await admin.resendMeterEvent(id, { not_received: true }) };
  },
} satisfies Record<string, (admin: AdminApi, options: AdminOptions) => Promise<Result>>;

/** A command of `mcs admin`. */
export type AdminTask = keyof typeof TASKS;

/** Runs a command of `mcs admin` and prints its result. */
export async function adminCommand(system: System, task: AdminTask, options: AdminOptions): Promise<number> {
  const { terminal, mcs } = contextOf(system, options, ADMIN_KEY);
  const target = options.target === undefined ? undefined : await userId(mcs.admin, options.target);
  // A new user has no id yet.
  const id = task === 'users create' ? options.id : await userId(mcs.admin, options.id);
  const { record, list, note }: Result = await TASKS[task](mcs.admin, { ...options, id, target });
  if (list !== undefined)
    terminal.printList(
      options.json,
      { [list.name]: list.items },
      {
        head: list.columns,
        lines: list.items.map((item) => list.columns.map((name) => textOf((item as Record<string, unknown>)[name]))),
      },
    );
  else if (options.json === true) terminal.printJson(record);
  else terminal.printRecord(pairsOf(record ?? {}, ''));
  if (note !== undefined) terminal.note(note);
  return EXIT.done;
}

/** The id of the user with an e-mail address; other ids stay. @throws UsageError for an unknown address */
async function userId(admin: AdminApi, id: string): Promise<string> {
  if (!id.includes('@')) return id;
  const [user] = (await admin.listUsers({ email: id })).users;
  if (user === undefined) throw new UsageError(`No user has the e-mail address ${id}.`);
  return user.id;
}

/** A record that begins with the key, which is shown once. */
function keyFirst<T extends { api_key: string }>({ api_key: apiKey, ...others }: T): object {
  return { api_key: apiKey, ...others };
}

function settingsOf({ freeQuota, hasPaymentMethod, maxPerMonth, monthlySpendLimitUsd }: AdminOptions) {
  return {
    free_quota: orNull(freeQuota),
    has_payment_method: hasPaymentMethod === undefined ? undefined : hasPaymentMethod === 'true',
    monthly_spend_limit_usd: orNull(maxPerMonth ?? monthlySpendLimitUsd),
  };
}

function orNull<T>(value: T | 'null'): T | null {
  return value === 'null' ? null : value;
}

async function usersOf(admin: AdminApi, wanted: number): Promise<object[]> {
  const users: object[] = [];
  while (users.length < wanted) {
    const limit = pageSize(wanted - users.length);
    const page = (await admin.listUsers({ limit, offset: users.length })).users;
    users.push(...page);
    if (page.length < limit) break;
  }
  return users;
}

/** The members of a record, those of an object within it under both names. */
function pairsOf(value: object, prefix: string): [name: string, value: string][] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    isObject(member) ? pairsOf(member, `${prefix}${name}.`) : [[`${prefix}${name}`, textOf(member)]],
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  if (isObject(value))
    return Object.entries(value)
      .map(
        ([name, { from, to }]: [string, { from?: unknown; to?: unknown }]) =>
          `${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
      )
      .join('; ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
