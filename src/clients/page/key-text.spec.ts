import { parsePastedKey, splitKey } from './key-text';

const KEY = 'mcs_bTmZs9lnsX38XJd8InWtngE4CMrfec4S2cCx';

describe('A pasted key', () => {
  it.each([
    KEY,
    `  ${KEY}\n`,
    `"${KEY}"`,
    `'${KEY}',`,
    `“${KEY}”`,
    `\`${KEY}\``,
    `Bearer ${KEY}`,
    `bearer   ${KEY}`,
    `"Bearer ${KEY}"`,
    `Authorization: Bearer ${KEY}`,
    `'Authorization: Bearer ${KEY}'`,
    `\ufeff${KEY}\u200b`,
    `${KEY.slice(0, 20)}\n${KEY.slice(20)}`,
    `\u00a0${KEY}\u00a0`,
  ])('is read without what comes along when it is copied: %j', (text) => {
    expect(parsePastedKey(text)).toEqual({ kind: 'user', key: KEY });
  });

  it.each(['', '   ', '""', 'Bearer', 'Bearer ', "'Bearer '", 'ключ', 'x'.repeat(201)])(
    'is none when no header could carry it: %j',
    (text) => {
      expect(parsePastedKey(text)).toEqual({ kind: 'none' });
    },
  );

  it.each(['mcs_admin_0123456789abcdef', 'sk-proj-abc', `${KEY}x`, 'mcs_'])('is of another form: %j', (text) => {
    expect(parsePastedKey(` "${text}" `)).toEqual({ kind: 'other', key: text });
  });
});

describe('A key in the fragment of an address', () => {
  it.each([
    ['#key=mcs_abc', 'mcs_abc', ''],
    ['#key=mcs%5Fabc', 'mcs_abc', ''],
    ['#models=a,b&key=mcs_abc&prompt=Say%20%26key%3D', 'mcs_abc', '#models=a,b&prompt=Say%20%26key%3D'],
    ['#key=first&key=second', 'first', ''],
    ['#key=', '', ''],
    ['#key=%E0%A4%A', '\ufffd%A', ''],
    ['#prompt=a&key=<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>', '#prompt=a'],
  ])('%s is taken out, and the rest stays', (fragment, key, rest) => {
    expect(splitKey(fragment)).toEqual({ key, rest });
  });

  it.each(['', '#', '#prompt=key%3D', '#monkey=1', '#prompt=a key=b'])('is not seen in %j', (fragment) => {
    expect(splitKey(fragment)).toBeUndefined();
  });
});
