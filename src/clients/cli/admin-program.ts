import { InvalidArgumentError, Option, type Command } from 'commander';
import type { AdminOptions, AdminTask } from './commands/admin';
import type { CommonOptions } from './context';
import { common, json, type End } from './options';
import type { System } from './system';

/** Adds `mcs admin` and its commands. */
export function addAdmin(program: Command, system: System, end: End): void {
  const admin = program
    .command('admin')
    .description('users, keys, usage, the audit log and meter events, with the admin key');
  const add = (group: Command, words: string, task: AdminTask) =>
    json(group.command(words)).action(async (...given: [...ids: string[], options: AdminOptions, command: Command]) => {
      const [id] = given;
      end(
        await (
          await import('./commands/admin.js')
        ).adminCommand(system, task, { ...(given.at(-2) as AdminOptions), id: typeof id === 'string' ? id : '' }),
      );
    });
  common(admin.command('login'))
    .description('ask for the admin key without showing it, and keep it in a file that only you can read')
    .action(async (options: CommonOptions) =>
      end(await (await import('./commands/login.js')).adminLoginCommand(system, options)),
    );
  admin
    .command('logout')
    .description('remove the stored admin key')
    .action(async () =>
      end(
        (await import('./commands/setup.js')).logoutCommand(
          system,
          { color: false },
          (await import('./settings.js')).ADMIN_KEY,
        ),
      ),
    );
  addUsers(admin.command('users').description('users and their limits'), add);
  addKeys(admin.command('keys').description("users' keys"), add);
  add(admin, 'usage <user>', 'usage').description("a user's evals and charge in a month").addOption(month());
  listed(add(admin, 'audit', 'audit'))
    .description('who changed what, newest first')
    .option('--target <id>', 'only entries about the user, key, eval or charge with this id');
  addMeterEvents(admin.command('meter-events').description('charges on their way to Stripe'), add);
}

type Add = (group: Command, words: string, task: AdminTask) => Command;

function addUsers(users: Command, add: Add): void {
  settings(add(users, 'create <email>', 'users create')).description('create a user without a key');
  listed(add(users, 'list', 'users list'), '100').description('users, oldest first');
  add(users, 'show <user>', 'users show').description('one user');
  settings(add(users, 'limit <user>', 'users limit')).description(
    "change a user's limits; an absent option changes nothing",
  );
  add(users, 'adjust <user>', 'users adjust')
    .description("correct a user's charge by a new row in the ledger")
    .requiredOption('--amount-usd <usd>', "amount to add to the month's charge; negative for a credit", amount)
    .requiredOption('--reason <text>', 'why; shown in the statement')
    .addOption(month());
}

function addKeys(keys: Command, add: Add): void {
  add(keys, 'issue <user>', 'keys issue')
    .description('issue a key, which is shown once')
    .requiredOption('--name <name>', 'a name for the key')
    .option('--expires-at <time>', 'when it expires, such as 2040-01-01T00:00:00Z; null (the default) for never')
    .option(
      '--max-per-month <usd>',
      'maximum charge through it per calendar month; null (the default) for no limit',
      amountOrNull,
    )
    .option('--models <ids>', 'the models it may call, separated by commas; null (the default) for all', listOrNull)
    .addOption(
      new Option('--monthly-spend-limit-usd <usd>', 'the earlier name of --max-per-month')
        .argParser(amountOrNull)
        .hideHelp(),
    )
    .addOption(new Option('--allowed-models <ids>', 'the earlier name of --models').argParser(listOrNull).hideHelp())
    .option('--scopes <scopes>', 'what it may do, separated by commas; null (the default) for everything', listOrNull);
  add(keys, 'list <user>', 'keys list').description("a user's keys, newest first, with revoked and expired keys");
  add(keys, 'revoke <key>', 'keys revoke').description('revoke a key, which stops working within one second');
  add(keys, 'rotate <key>', 'keys rotate')
    .description('issue a new key with the same name and settings, which is shown once')
    .option('--overlap-seconds <seconds>', 'how long the old key keeps working; 0 by default', amount);
}

function addMeterEvents(events: Command, add: Add): void {
  listed(add(events, 'list', 'meter-events list'))
    .description('meter events that are parked, or in another state, newest first')
    .addOption(new Option('--state <state>').choices(['parked', 'waiting', 'sent', 'empty']).default('parked'));
  add(events, 'resend <charge>', 'meter-events resend')
    .description('send a parked meter event again')
    .option('--not-received', 'confirms that you looked in Stripe and the event did not arrive');
}

function settings(command: Command): Command {
  return command
    .option('--free-quota <evals>', "free evals per month; null for the service's default", amountOrNull)
    .addOption(
      new Option('--has-payment-method <true|false>', 'whether a payment method is on file').choices(['true', 'false']),
    )
    .option('--max-per-month <usd>', 'maximum charge per calendar month; null for no limit', amountOrNull)
    .addOption(
      new Option('--monthly-spend-limit-usd <usd>', 'the earlier name of --max-per-month')
        .argParser(amountOrNull)
        .hideHelp(),
    );
}

function listed(command: Command, count = '20'): Command {
  return command.option('-n, --number <n>', 'how many', count);
}

function month(): Option {
  return new Option('--month <YYYY-MM>', 'the current one by default');
}

function amount(text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

/** Commander takes null for an absent value, so the word stays. */
function amountOrNull(text: string): number | 'null' {
  return text === 'null' ? text : amount(text);
}

function listOrNull(text: string): string[] | 'null' {
  if (text === 'null') return text;
  return text === '' ? [] : text.split(',');
}
