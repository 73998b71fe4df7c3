import { ConcurrencySlots } from './concurrency-slots';

const lease = (leaseId: string, keyId = 'key_a') => ({ leaseId, keyId, limit: 2 });

describe('ConcurrencySlots', () => {
  it('limits the slots of a key over all workers', () => {
    const leases = new ConcurrencySlots<string>();
    expect([leases.acquire('one', lease('1')), leases.acquire('two', lease('2')), leases.acquire('two', lease('3'))]).toEqual([true, true, false]);
    expect(leases.acquire('two', lease('4', 'key_b'))).toBe(true);
  });

  it('frees a slot once when it is released', () => {
    const leases = new ConcurrencySlots<string>();
    for (const id of ['1', '2']) leases.acquire('one', lease(id));
    expect([leases.release(lease('1')), leases.release(lease('1'))]).toEqual([true, false]);
    expect([leases.acquire('two', lease('3')), leases.acquire('two', lease('4'))]).toEqual([true, false]);
  });

  it('frees the slots of a worker that has ended and keeps those of the others', () => {
    const leases = new ConcurrencySlots<string>();
    leases.acquire('one', lease('1'));
    leases.acquire('two', lease('2'));
    leases.releaseAll('one');
    expect([leases.acquire('two', lease('3')), leases.acquire('two', lease('4'))]).toEqual([true, false]);
  });
});
