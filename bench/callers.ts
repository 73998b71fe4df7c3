import { Connection, rawRequest } from './connection';
import { SECRETS } from './settings';

/** A user of the service with a key. */
export interface BenchCaller {
  userId: string;
  keyId: string;
  key: string;
}

/** Spending options of a user; the defaults have neither free evals nor a limit. */
export interface CallerSettings {
  free_quota?: number;
  monthly_spend_limit_usd?: number;
}

/** Creates users through the admin API, each with one key. */
export async function makeCallers(port: number, count: number, name = 'bench', settings: CallerSettings = {}): Promise<BenchCaller[]> {
  const callers: BenchCaller[] = [];
  for (let index = 0; index < count; index += 1) {
    const user = await operate<{ id: string }>(port, '/api/v1/admin/users', { email: `${name}-${index}@example.com`, has_payment_method: true, free_quota: 0, ...settings });
    const key = await operate<{ id: string; api_key: string }>(port, `/api/v1/admin/users/${user.id}/keys`, { name: 'bench' });
    callers.push({ userId: user.id, keyId: key.id, key: key.api_key });
  }
  return callers;
}

async function operate<T>(port: number, path: string, body: object): Promise<T> {
  const connection = await Connection.open(port);
  const answer = await connection.send(Buffer.from(rawRequest('POST', path, SECRETS.ADMIN_API_KEY, body)));
  connection.close();
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body.toString()}`);
  return JSON.parse(answer.body.toString()) as T;
}
