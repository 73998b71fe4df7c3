import { newSecret, isWellFormed } from './api-key.format';
import { isWellFormedToken, newToken } from './token.format';

describe('A token', () => {
  test('begins with its prefix and is well formed under that prefix alone', () => {
    const token = newToken('mcs_share_');
    expect(token).toMatch(/^mcs_share_[0-9A-Za-z]{36}$/);
    expect(isWellFormedToken('mcs_share_', token)).toBe(true);
    expect(isWellFormedToken('mcs_other_', token)).toBe(false);
  });

  test('is never taken for an API key, nor a key for a token', () => {
    const token = newToken('mcs_share_');
    expect(isWellFormed(token)).toBe(false);
    expect(isWellFormed(token.replace('share_', ''))).toBe(true);
    expect(isWellFormedToken('mcs_share_', newSecret())).toBe(false);
  });

  test('is rejected with a wrong checksum', () => {
    const token = newToken('mcs_share_');
    const last = token.endsWith('0') ? '1' : '0';
    expect(isWellFormedToken('mcs_share_', token.slice(0, -1) + last)).toBe(false);
  });
});
