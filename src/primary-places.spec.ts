import { PrimaryPlaces } from './primary-places';

const place = (placeId: string, keyId = 'key_a') => ({ placeId, keyId, limit: 2 });

describe('the places that the primary process keeps', () => {
  it('are limited per key, over all workers', () => {
    const places = new PrimaryPlaces<string>();
    expect([places.enter('one', place('1')), places.enter('two', place('2')), places.enter('two', place('3'))]).toEqual([true, true, false]);
    expect(places.enter('two', place('4', 'key_b'))).toBe(true);
  });

  it('are free again after they were left, once', () => {
    const places = new PrimaryPlaces<string>();
    for (const id of ['1', '2']) places.enter('one', place(id));
    expect([places.leave(place('1')), places.leave(place('1'))]).toEqual([true, false]);
    expect([places.enter('two', place('3')), places.enter('two', place('4'))]).toEqual([true, false]);
  });

  it('of a worker that is no more are free again, those of the others are not', () => {
    const places = new PrimaryPlaces<string>();
    places.enter('one', place('1'));
    places.enter('two', place('2'));
    places.forget('one');
    expect([places.enter('two', place('3')), places.enter('two', place('4'))]).toEqual([true, false]);
  });
});
