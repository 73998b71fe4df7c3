import { ConcurrencySlots } from './concurrency-slots';

const slot = (placeId: string, keyId = 'key_a') => ({ placeId, keyId, limit: 2 });

describe('ConcurrencySlots', () => {
  it('limits the slots of a key over all workers', () => {
    const slots = new ConcurrencySlots<string>();
    expect([slots.acquire('one', slot('1')), slots.acquire('two', slot('2')), slots.acquire('two', slot('3'))]).toEqual([true, true, false]);
    expect(slots.acquire('two', slot('4', 'key_b'))).toBe(true);
  });

  it('frees a slot once when it is released', () => {
    const slots = new ConcurrencySlots<string>();
    for (const id of ['1', '2']) slots.acquire('one', slot(id));
    expect([slots.release(slot('1')), slots.release(slot('1'))]).toEqual([true, false]);
    expect([slots.acquire('two', slot('3')), slots.acquire('two', slot('4'))]).toEqual([true, false]);
  });

  it('frees the slots of a worker that has ended and keeps those of the others', () => {
    const slots = new ConcurrencySlots<string>();
    slots.acquire('one', slot('1'));
    slots.acquire('two', slot('2'));
    slots.releaseAll('one');
    expect([slots.acquire('two', slot('3')), slots.acquire('two', slot('4'))]).toEqual([true, false]);
  });
});
