import type { INestApplicationContext } from '@nestjs/common';
import { itself } from '../audit/actor';
import { AccountsService } from '../auth/accounts.service';

/** Gives a database without users its first one, and a key; undefined where there are users already. */
export async function createDemoKey(app: INestApplicationContext): Promise<string | undefined> {
  const accounts = app.get(AccountsService);
  if ((await accounts.listUsers(1, 0)).length > 0) return undefined;
  const user = await accounts.createUser(itself('first-start'), 'demo@example.com', {});
  const { secret } = await accounts.issueKey(itself('first-start'), user.id, 'demo');
  return secret;
}
