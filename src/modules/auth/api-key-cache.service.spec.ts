import { briefly } from '../../platform/database/urgency';
import { ApiKeyCacheService } from './api-key-cache.service';
import type { ApiKey } from './api-key.entity';
import type { AuthRepository } from './auth.repository';

/** A cache above a repository that answers each look-up when the test says so. */
function waitingCache() {
  const lookUps: { hash: string; answer: (key: ApiKey | undefined) => void }[] = [];
  const repository = {
    findKeyByHash: ([hash]: readonly [string]) => new Promise((answer) => lookUps.push({ hash, answer })),
  } as unknown as AuthRepository;
  return { cache: new ApiKeyCacheService(repository), lookUps };
}

function keyOf(userId: string, name: string): ApiKey {
  return { name, user: { id: userId } } as ApiKey;
}

describe('ApiKeyCacheService', () => {
  test('answers every look-up under way when a user changes', async () => {
    const { cache, lookUps } = waitingCache();
    const waiting = [cache.find('of b'), cache.find('of b'), cache.find('of a'), cache.find('of none')];
    cache.forgetUser('user_a');
    lookUps.forEach(({ hash, answer }) => answer(hash === 'of none' ? undefined : keyOf(`user_${hash.at(-1)}`, hash)));
    expect(lookUps.map(({ hash }) => hash)).toEqual(['of b', 'of a', 'of none']);
    expect((await Promise.all(waiting)).map((key) => key?.name)).toEqual(['of b', 'of b', 'of a', undefined]);
  });

  test('keeps no key that was read before its user changed', async () => {
    const { cache, lookUps } = waitingCache();
    const early = cache.find('of a');
    cache.forgetUser('user_a');
    lookUps[0]?.answer(keyOf('user_a', 'before'));
    expect((await early)?.name).toBe('before');
    const late = cache.find('of a');
    lookUps[1]?.answer(keyOf('user_a', 'after'));
    expect((await late)?.name).toBe('after');
    expect((await cache.find('of a'))?.name).toBe('after');
    expect(lookUps).toHaveLength(2);
  });

  test('looks up again for a compare beside a read, which is refused sooner, and once for several compares or reads', async () => {
    const { cache, lookUps } = waitingCache();
    const reads = [briefly(() => cache.find('of a')), briefly(() => cache.find('of a'))];
    const compares = [cache.find('of a'), cache.find('of a')];
    expect(lookUps).toHaveLength(2);
    lookUps.forEach(({ answer }, index) => answer(keyOf('user_a', index === 0 ? 'read' : 'compare')));
    expect((await Promise.all([...reads, ...compares])).map((key) => key?.name)).toEqual([
      'read',
      'read',
      'compare',
      'compare',
    ]);
  });

  test('forgets all keys of the user who changed, and none of another', async () => {
    const { cache, lookUps } = waitingCache();
    const found = ['a1', 'a2', 'b1'].map((hash) => cache.find(hash));
    lookUps.forEach(({ hash, answer }) => answer(keyOf(`user_${hash.at(0)}`, hash)));
    await Promise.all(found);
    cache.forgetUser('user_a');
    void cache.find('a1');
    void cache.find('a2');
    expect((await cache.find('b1'))?.name).toBe('b1');
    expect(lookUps.slice(3).map(({ hash }) => hash)).toEqual(['a1', 'a2']);
  });
});
