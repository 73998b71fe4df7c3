import { Command, Option, SubCommand } from 'nest-commander';
import { IssuedKeyDto, IssueKeyRequest, KeyDto, RotateKeyRequest } from '../../admin/keys.dto';
import { print } from '../../bootstrap/terminal';
import { paginate } from '../../common/page';
import { withAccounts } from './accounts';
import { ChangingCommand, CommandGroup, PageCommand, type ChangeOptions, type ConsoleOptions } from './console-command';
import { ConsoleService } from './console.service';
import { actorNamed, checkedBody, checkedQuery, listOrNull, numberOrNull, textOrNull } from './input';
import { KeyPageQuery } from './key-page.dto';
import { columnsOf, printPage, printResult, record } from './output';

const COLUMNS = columnsOf<KeyDto>('id', 'prefix', 'created_at', 'last_used_at', 'expires_at', 'revoked_at', 'monthly_spend_limit_usd', 'name');
const SHOWN_ONCE = 'The key is shown only this once.';

@SubCommand({ name: 'issue', arguments: '<user>', description: "issue a key, which is printed once" })
export class IssueKeyCommand extends ChangingCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--name <name>', description: 'what the key is for', required: true })
  name(word: string): string {
    return word;
  }

  @Option({ flags: '--expires-at <time>', name: 'expires_at', description: 'when it expires, such as 2040-01-01T00:00:00Z; null (the default) for never' })
  expiresAt(word: string): string | null {
    return textOrNull(word);
  }

  @Option({ flags: '--monthly-spend-limit-usd <usd>', name: 'monthly_spend_limit_usd', description: 'maximum charge through it per calendar month; null (the default) for no limit' })
  monthlySpendLimit(word: string): unknown {
    return numberOrNull(word);
  }

  @Option({ flags: '--allowed-models <ids>', name: 'allowed_models', description: 'the models it may call, separated by commas; null (the default) for all' })
  allowedModels(words: string): string[] | null {
    return listOrNull(words);
  }

  @Option({ flags: '--scopes <scopes>', description: 'what it may do, separated by commas; null (the default) for everything' })
  scopes(words: string): string[] | null {
    return listOrNull(words);
  }

  async run([userId = '']: string[], { json, as, ...key }: ChangeOptions): Promise<void> {
    const actor = actorNamed(as);
    const body = await checkedBody(IssueKeyRequest, key);
    const issued = IssuedKeyDto.issued(await withAccounts(this.services, (accounts) => accounts.issueKey(actor, userId, body.name, body.toSettings())));
    printResult(issued, json, record(issued));
    print(SHOWN_ONCE);
  }
}

@SubCommand({ name: 'list', arguments: '<user>', description: "list a user's keys, newest first, also those that are revoked or expired" })
export class ListKeysCommand extends PageCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  async run([userId = '']: string[], { json, ...page }: ConsoleOptions): Promise<void> {
    const { limit, cursor } = await checkedQuery(KeyPageQuery, page);
    const found = await withAccounts(this.services, (accounts) => accounts.listKeys(userId, { limit: limit + 1, after: cursor }));
    const { items, next } = paginate(found, limit, ({ id }) => id);
    printPage('keys', items.map((key) => KeyDto.from(key)), COLUMNS, { json, limit, next });
  }
}

@SubCommand({ name: 'revoke', arguments: '<key>', description: 'revoke a key, which stops working within one second' })
export class RevokeKeyCommand extends ChangingCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  async run([id = '']: string[], { json, as }: ChangeOptions): Promise<void> {
    const actor = actorNamed(as);
    const key = KeyDto.from(await withAccounts(this.services, async (accounts) => {
      await accounts.revokeKey(actor, id);
      return accounts.getKey(id);
    }));
    printResult(key, json, record(key));
  }
}

@SubCommand({ name: 'rotate', arguments: '<key>', description: 'issue a new key with the same name and settings, which is printed once' })
export class RotateKeyCommand extends ChangingCommand {
  constructor(private readonly services: ConsoleService) {
    super();
  }

  @Option({ flags: '--overlap-seconds <seconds>', name: 'overlap_seconds', description: 'for how long the old key keeps working; 0 by default' })
  overlapSeconds(word: string): unknown {
    return numberOrNull(word);
  }

  async run([id = '']: string[], { json, as, ...overlap }: ChangeOptions): Promise<void> {
    const actor = actorNamed(as);
    const body = await checkedBody(RotateKeyRequest, overlap);
    const issued = IssuedKeyDto.issued(await withAccounts(this.services, (accounts) => accounts.rotateKey(actor, id, body.overlap_seconds ?? 0)));
    printResult(issued, json, record(issued));
    print(SHOWN_ONCE);
  }
}

@Command({ name: 'keys', description: "users' keys", subCommands: [IssueKeyCommand, ListKeysCommand, RevokeKeyCommand, RotateKeyCommand] })
export class KeysCommand extends CommandGroup {}
