import { newSecret } from './api-key.format';
import { describeCredentials } from './wrong-credentials';

const KEY = newSecret();

describe('The description of credentials', () => {
  it.each([
    ['no header', {}, /^The request has no API key; send/],
    ['another header', { 'x-api-key': KEY }, /^The header x-api-key is not read;/],
    ['an empty header', { authorization: '  ' }, /^The Authorization header is empty;/],
    ['Basic', { authorization: 'Basic dXNlcjpwYXNz' }, /^Basic authentication is not taken;/],
    ['no key', { authorization: 'Bearer ' }, /^There is no key behind Bearer;/],
    ['no Bearer', { authorization: KEY }, /does not begin with Bearer/],
    ['Bearer twice', { authorization: `Bearer Bearer ${KEY}` }, /has Bearer twice/],
    ['quotes', { authorization: `Bearer "${KEY}"` }, /stands in quotes/],
    ['an unexpanded variable', { authorization: 'Bearer $MCS_API_KEY' }, /^A placeholder was sent/],
    ['an example', { authorization: 'Bearer <API_KEY>' }, /^A placeholder was sent/],
    ['a key of another vendor', { authorization: 'Bearer sk-proj-abcdef' }, /its keys begin with mcs_/],
    [
      'a lost character',
      { authorization: `Bearer ${KEY.slice(0, -1)}` },
      /^The API key has 39 characters in place of 40;/,
    ],
    ['a break in the key', { authorization: `Bearer ${KEY.slice(0, 20)} ${KEY.slice(20)}` }, /white space/],
    ['100,000 characters', { authorization: `Bearer mcs_${'x'.repeat(100_000)}` }, /^The API key has \d+ characters/],
  ])('names %s, in one sentence without the key', (_, headers, expected) => {
    const sentence = describeCredentials(headers) ?? '';
    expect(sentence).toMatch(expected);
    expect(sentence).toMatch(/^[^.]{20,150}\.$/);
    expect(sentence).not.toContain(KEY.slice(4, 30));
  });

  it("is absent for a key of the right form, and for every key that might be the operator's", () => {
    expect(describeCredentials({ authorization: `bearer  ${KEY}` })).toBeUndefined();
    expect(describeCredentials({ authorization: 'Bearer secret' }, true)).toBeUndefined();
    expect(describeCredentials({ authorization: 'Bearer' }, true)).toBeDefined();
  });
});
