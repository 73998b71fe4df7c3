import type { INestApplicationContext } from '@nestjs/common';
import { AuthService } from '../auth/auth.service';

/** Gives a database without users its first one, and a key; undefined where there are users already. */
export async function firstDemoKey(app: INestApplicationContext): Promise<string | undefined> {
  const auth = app.get(AuthService);
  if ((await auth.listUsers(1, 0)).length > 0) return undefined;
  const user = await auth.createUser('demo@example.com', {});
  const { secret } = await auth.issueKey(user.id, 'demo');
  return secret;
}
