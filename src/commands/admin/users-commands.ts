import { Command, Option, SubCommand } from 'nest-commander';
import { CreateUserRequest, UserDto, UserListQuery, UserSettingsRequest } from '../../admin/admin.dto';
import { print } from '../../bootstrap/terminal';
import { withAccounts } from './accounts';
import { ChangingCommand, CommandGroup, ConsoleCommand, type ChangeOptions, type ConsoleOptions } from './console-command';
import { ConsoleService } from './console.service';
import { actorNamed, checkedBody, checkedQuery, flag, numberOrNull } from './input';
import { columnsOf, printResult, record, table } from './output';

const COLUMNS = columnsOf<UserDto>('id', 'created_at', 'free_quota', 'has_payment_method', 'monthly_spend_limit_usd', 'email');

/** The options that are a user's settings, under the names that the API has for them. */
abstract class UserSettingsCommand extends ChangingCommand {
  @Option({ flags: '--free-quota <evals>', name: 'free_quota', description: "free evals per month; null for the service's default" })
  freeQuota(word: string): unknown {
    return numberOrNull(word);
  }

  @Option({ flags: '--has-payment-method <true|false>', name: 'has_payment_method', description: 'whether a payment method is on file' })
  hasPaymentMethod(word: string): unknown {
    return flag(word);
  }

  @Option({ flags: '--monthly-spend-limit-usd <usd>', name: 'monthly_spend_limit_usd', description: 'maximum charge per calendar month; null for no limit' })
  monthlySpendLimit(word: string): unknown {
    return numberOrNull(word);
  }
}

@SubCommand({ name: 'create', arguments: '<email>', description: 'create a user, who has no key at first' })
export class CreateUserCommand extends UserSettingsCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  async run([email]: string[], { json, as, ...settings }: ChangeOptions): Promise<void> {
    const actor = actorNamed(as);
    const body = await checkedBody(CreateUserRequest, { email, ...settings });
    const user = UserDto.from(await withAccounts(this.services, (accounts) => accounts.createUser(actor, body.email, body.toSettings())));
    printResult(user, json, record(user));
  }
}

@SubCommand({ name: 'list', description: 'list users, oldest first' })
export class ListUsersCommand extends ConsoleCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--limit <count>', description: 'number of users to show, 100 by default' })
  limit(word: string): string {
    return word;
  }

  @Option({ flags: '--offset <count>', description: 'number of users to skip' })
  offset(word: string): string {
    return word;
  }

  async run(_: string[], { json, ...page }: ConsoleOptions): Promise<void> {
    const { limit, offset } = await checkedQuery(UserListQuery, page);
    // One more than is shown says whether there are more.
    const found = await withAccounts(this.services, (accounts) => accounts.listUsers(limit + 1, offset));
    const users = found.slice(0, limit).map((user) => UserDto.from(user));
    const next = found.length > limit ? offset + limit : null;
    printResult({ users, limit, next_offset: next }, json, table(users, COLUMNS));
    if (next !== null && json !== true) print(`There are more: --offset ${next}`);
  }
}

@SubCommand({ name: 'show', arguments: '<user>', description: 'show a user' })
export class ShowUserCommand extends ConsoleCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  async run([id = '']: string[], { json }: ConsoleOptions): Promise<void> {
    const user = UserDto.from(await withAccounts(this.services, (accounts) => accounts.getUser(id)));
    printResult(user, json, record(user));
  }
}

@SubCommand({ name: 'limit', arguments: '<user>', description: "change a user's limits; what is not named stays as it is" })
export class LimitUserCommand extends UserSettingsCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  async run([id = '']: string[], { json, as, ...settings }: ChangeOptions): Promise<void> {
    if (Object.keys(settings).length === 0) this.command.error('error: nothing to change; name at least one of --free-quota, --has-payment-method and --monthly-spend-limit-usd');
    const actor = actorNamed(as);
    const body = await checkedBody(UserSettingsRequest, settings);
    const user = UserDto.from(await withAccounts(this.services, (accounts) => accounts.updateUser(actor, id, body.toSettings())));
    printResult(user, json, record(user));
  }
}

@Command({ name: 'users', description: 'users and their limits', subCommands: [CreateUserCommand, ListUsersCommand, ShowUserCommand, LimitUserCommand] })
export class UsersCommand extends CommandGroup {}
