import type { INestApplicationContext } from '@nestjs/common';
import { systemActor } from '../modules/audit/actor';
import { AccountsService } from '../modules/auth/accounts.service';

const EMAIL = 'demo@example.com';

/** The demo user, and its key if it was created just now. */
export interface Demo {
  userId: string | undefined;
  key: string | undefined;
}

/** Gives a database without users its first one, and a key. */
export async function createDemoKey(app: INestApplicationContext): Promise<Demo> {
  const accounts = app.get(AccountsService);
  const [existing] = await accounts.listUsers({ limit: 1, offset: 0 });
  if (existing !== undefined)
    return { userId: (await accounts.listUsers({ email: EMAIL, limit: 1, offset: 0 }))[0]?.id, key: undefined };
  const user = await accounts.createUser(systemActor('first-start'), EMAIL, {});
  const { secret } = await accounts.issueKey(systemActor('first-start'), user.id, 'demo');
  return { userId: user.id, key: secret };
}
