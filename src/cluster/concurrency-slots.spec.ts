import { ConcurrencySlots } from './concurrency-slots';

const place = (placeId: string, keyId = 'key_a') => ({ placeId, keyId, limit: 2 });

describe('ConcurrencySlots', () => {
  it('limits the slots of a key over all workers', () => {
    const places = new ConcurrencySlots<string>();
    expect([places.acquire('one', place('1')), places.acquire('two', place('2')), places.acquire('two', place('3'))]).toEqual([true, true, false]);
    expect(places.acquire('two', place('4', 'key_b'))).toBe(true);
  });

  it('frees a slot once when it is released', () => {
    const places = new ConcurrencySlots<string>();
    for (const id of ['1', '2']) places.acquire('one', place(id));
    expect([places.release(place('1')), places.release(place('1'))]).toEqual([true, false]);
    expect([places.acquire('two', place('3')), places.acquire('two', place('4'))]).toEqual([true, false]);
  });

  it('frees the slots of a worker that has ended and keeps those of the others', () => {
    const places = new ConcurrencySlots<string>();
    places.acquire('one', place('1'));
    places.acquire('two', place('2'));
    places.releaseAll('one');
    expect([places.acquire('two', place('3')), places.acquire('two', place('4'))]).toEqual([true, false]);
  });
});
