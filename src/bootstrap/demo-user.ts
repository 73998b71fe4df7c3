import type { INestApplicationContext } from '@nestjs/common';
import { systemActor } from '../audit/actor';
import { AccountsService } from '../auth/accounts.service';

/** Gives a database without users its first one, and a key; undefined where there are users already. */
export async function createDemoKey(app: INestApplicationContext): Promise<string | undefined> {
  const accounts = app.get(AccountsService);
  if ((await accounts.listUsers(1, 0)).length > 0) return undefined;
  const user = await accounts.createUser(systemActor('first-start'), 'demo@example.com', {});
  const { secret } = await accounts.issueKey(systemActor('first-start'), user.id, 'demo');
  return secret;
}
