import type { ThreadPoolService } from '../../platform/background/thread-pool.service';
import { Clock } from '../../common/clock';
import { ComparisonsService } from './comparisons.service';

/** Requests that hold their eval until the test releases them. */
function heldRequests() {
  const comparisons = new ComparisonsService({} as ThreadPoolService, new Clock());
  const { promise, resolve: release } = Promise.withResolvers<void>();
  let [loaded, most, now] = [0, 0, 0];
  const request = (user: string) =>
    comparisons.inTurn(user, async () => {
      loaded += 1;
      now += 1;
      most = Math.max(most, now);
      await promise;
      now -= 1;
    });
  return { request, release, counts: () => ({ loaded, most }) };
}

describe('Requests that compare answers', () => {
  it('hold at most four evals in memory at the same time, and all are served', async () => {
    const { request, release, counts } = heldRequests();
    const requests = Array.from({ length: 10 }, (_, index) => request(`user-${index}`));
    await new Promise(setImmediate);
    expect(counts()).toEqual({ loaded: 4, most: 4 });
    release();
    await Promise.all(requests);
    expect(counts()).toEqual({ loaded: 10, most: 4 });
  });

  it('hold one eval of a user at the same time', async () => {
    const { request, release, counts } = heldRequests();
    const requests = [request('a'), request('a'), request('b')];
    await new Promise(setImmediate);
    expect(counts()).toEqual({ loaded: 2, most: 2 });
    release();
    await Promise.all(requests);
  });

  it('are refused for a user with twenty waiting, and for no other user', async () => {
    const { request, release } = heldRequests();
    const requests = Array.from({ length: 21 }, () => request('a'));
    const refused = request('a').catch((error: unknown) => error);
    const other = request('b');
    release();
    await expect(Promise.all([...requests, other])).resolves.toHaveLength(22);
    expect(await refused).toMatchObject({
      code: 'rate_limited',
      message: 'At most 20 requests of one user for statistics, agreement or drift may wait at the same time.',
      retryAfterSeconds: 1,
    });
  });
});
