import { fakeConnection } from '../../../test/support/fake-connection';
import { unlessRefused } from './connect';

describe('unlessRefused', () => {
  const never = new Promise<never>(() => undefined);

  test('gives the connection, or the error of a failed attempt', async () => {
    const { client } = fakeConnection();
    expect(await unlessRefused(Promise.resolve(client), never)).toBe(client);
    await expect(unlessRefused(Promise.reject(new Error('no server')), never)).rejects.toThrow('no server');
  });

  test('releases a connection that comes after the refusal', async () => {
    const { client, released } = fakeConnection();
    const connecting = Promise.withResolvers<typeof client>();
    await expect(unlessRefused(connecting.promise, Promise.reject(new Error('late')))).rejects.toThrow('late');
    expect(released).toEqual([]);
    connecting.resolve(client);
    await connecting.promise;
    expect(released).toEqual([undefined]);
  });
});
