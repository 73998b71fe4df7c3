import { parsePastedKey } from './key-text';

const KEY = 'mcs_bTmZs9lnsX38XJd8InWtngE4CMrfec4S2cCx';

describe('A pasted key', () => {
  it.each([
    KEY, `  ${KEY}\n`, `"${KEY}"`, `'${KEY}',`, `“${KEY}”`, `\`${KEY}\``, `Bearer ${KEY}`, `bearer   ${KEY}`, `"Bearer ${KEY}"`, `Authorization: Bearer ${KEY}`, `'Authorization: Bearer ${KEY}'`,
    `\ufeff${KEY}\u200b`, `${KEY.slice(0, 20)}\n${KEY.slice(20)}`, `\u00a0${KEY}\u00a0`,
  ])('is read without what comes along when it is copied: %j', (text) => {
    expect(parsePastedKey(text)).toEqual({ kind: 'user', key: KEY });
  });

  it.each(['', '   ', '""', 'Bearer', 'Bearer ', "'Bearer '", 'ключ', 'x'.repeat(201)])('is none when no header could carry it: %j', (text) => {
    expect(parsePastedKey(text)).toEqual({ kind: 'none' });
  });

  it.each(['mcs_admin_0123456789abcdef', 'sk-proj-abc', `${KEY}x`, 'mcs_'])('is of another form: %j', (text) => {
    expect(parsePastedKey(` "${text}" `)).toEqual({ kind: 'other', key: text });
  });
});
