import { fakeConnection } from '../../../test/support/fake-connection';
import { Doubt } from './doubt';

describe('Doubt', () => {
  /** A doubt, how often a server was reached, and connections that answer so. */
  function doubtOf(answer?: () => Promise<unknown>) {
    const seen = { reached: 0 };
    const doubt = new Doubt(() => (seen.reached += 1));
    const connection = fakeConnection(answer);
    return { ...connection, doubt, seen, connect: doubt.tried(async () => connection.client) };
  }

  test('tries no connection before a pooler complains', async () => {
    const { connect, client, statements, seen } = doubtOf();
    expect(await connect()).toBe(client);
    expect([statements, seen.reached]).toEqual([[], 0]);
  });

  test('ends with the first connection that reaches the server', async () => {
    const { connect, client, doubt, statements, seen } = doubtOf();
    doubt.isRaised = true;
    expect([await connect(), await connect()]).toEqual([client, client]);
    expect([statements, seen.reached, doubt.isRaised]).toEqual([['select 1'], 1, false]);
  });

  test('gives up a connection that does not, and goes on', async () => {
    const refusal = new Error('server_login_retry');
    const { connect, doubt, released, seen } = doubtOf(() => Promise.reject(refusal));
    doubt.isRaised = true;
    await expect(connect()).rejects.toBe(refusal);
    expect([released, seen.reached, doubt.isRaised]).toEqual([[refusal], 0, true]);
  });
});
