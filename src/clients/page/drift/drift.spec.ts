import { relativeChange, settingsOf } from './drift';

const same = { before: [], after: [], changed: false };

describe('settingsOf', () => {
  it('says what was set otherwise', () => {
    const vendor = { before: 'm-1', after: 'm-2', changed: true };
    expect(
      settingsOf({
        vendor_model: vendor,
        answered_by: { before: ['m-1a'], after: ['m-1a', 'm-1b'], changed: true },
        applied: { before: {}, after: {}, changed: false },
        prices: { before: null, after: null, changed: true },
      }),
    ).toEqual([
      'the vendor’s model is now m-2, was m-1',
      'the vendor changed the model: now m-1a, m-1b, before m-1a',
      'the prices changed',
    ]);
    expect(
      settingsOf({
        vendor_model: { ...vendor, changed: false },
        answered_by: same,
        applied: { before: {}, after: {}, changed: true },
        prices: { before: null, after: null, changed: false },
      }),
    ).toEqual(['other parameters were sent']);
  });
});

describe('relativeChange', () => {
  it.each([
    [100, 150, '+50 %'],
    [100, 50, '−50 %'],
    [100, 100.2, '±0 %'],
    [0, 5, undefined],
    [null, 5, undefined],
    [5, null, undefined],
  ])('from %p to %p is %p', (before, after, text) => expect(relativeChange(before, after)).toBe(text));
});
