import { redactionText, tokenOf } from './shares';

describe('tokenOf', () => {
  it.each([
    ['http://127.0.0.1:3000/api/v1/shared/shr_abc', 'shr_abc'],
    ['/shared/shr_abc', 'shr_abc'],
    ['https://example.com/shared/', undefined],
    ['', undefined],
    ['https://example.com/shared/a/b', undefined],
  ])('of %s is %p', (url, token) => expect(tokenOf(url)).toBe(token));
});

describe('redactionText', () => {
  it('says what is left out', () =>
    expect([redactionText([]), redactionText(['prompt', 'models', 'more', 'toString'])]).toEqual([
      'shows everything',
      'hides prompt, names of the models, more, toString',
    ]));
});
