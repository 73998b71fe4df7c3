import type { AccountsService } from '../../auth/accounts.service';
import type { ConsoleService } from './console.service';

/** Does something with users and keys. */
export async function withAccounts<T>(services: ConsoleService, work: (accounts: AccountsService) => Promise<T>): Promise<T> {
  const load = async () => (await import('../../auth/accounts.module.js')).AccountsModule;
  const { AccountsService: token } = await import('../../auth/accounts.service.js');
  return services.use(load, (context) => work(context.get(token)));
}
