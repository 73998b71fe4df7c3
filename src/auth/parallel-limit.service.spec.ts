import { Config } from '../common/config';
import type { Caller } from './caller';
import { ParallelLimit } from './parallel-limit.service';
import type { SharedPlaces } from './shared-places.service';

const ALONE = { enter: () => Promise.resolve(true), leave: () => Promise.resolve() } as unknown as SharedPlaces;
const CALLER = { keyId: 'key_1' } as Caller;

function limitOf(COMPARE_PARALLEL: number): ParallelLimit {
  return new ParallelLimit(Object.assign(new Config(), { COMPARE_PARALLEL }), ALONE);
}

describe('the limit of what one key does at the same time', () => {
  test('counts compares and estimates apart, and says which of them were too many', async () => {
    const limit = limitOf(1);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const running = [limit.hold(CALLER, () => end), limit.hold(CALLER, () => end, 'estimates')];
    await expect(limit.hold(CALLER, () => end)).rejects.toMatchObject({ code: 'rate_limited', message: 'At most 1 compares of one key may run at the same time.', retryAfterSeconds: 1 });
    await expect(limit.hold(CALLER, () => end, 'estimates')).rejects.toMatchObject({ code: 'rate_limited', message: 'At most 1 estimates of one key may run at the same time.' });
    resolve();
    await Promise.all(running);
    await limit.hold(CALLER, () => end, 'estimates');
  });
});
