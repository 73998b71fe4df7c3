import type { INestApplicationContext } from '@nestjs/common';
import { systemActor } from '../audit/actor';
import { AccountsService } from '../auth/accounts.service';

const EMAIL = 'demo@example.com';
/** The demo user is the first of all. */
const SEARCHED_USERS = 100;

/** The demo user, and its key if it was created just now. */
export interface Demo {
  userId: string | undefined;
  key: string | undefined;
}

/** Gives a database without users its first one, and a key. */
export async function createDemoKey(app: INestApplicationContext): Promise<Demo> {
  const accounts = app.get(AccountsService);
  const users = await accounts.listUsers(SEARCHED_USERS, 0);
  if (users.length > 0) return { userId: users.find(({ email }) => email === EMAIL)?.id, key: undefined };
  const user = await accounts.createUser(systemActor('first-start'), EMAIL, {});
  const { secret } = await accounts.issueKey(systemActor('first-start'), user.id, 'demo');
  return { userId: user.id, key: secret };
}
