import { shareStatus } from './share.entity';

const END = new Date('2026-11-22T12:00:00.000Z');
const at = (offsetMs: number) => new Date(END.getTime() + offsetMs);

describe('A share', () => {
  test.each([
    [-1, 'live'],
    [0, 'expired'],
    [1, 'expired'],
  ])('is, %d ms after its end, %s', (offsetMs, status) => {
    expect(shareStatus({ expiresAt: END, revokedAt: null }, at(offsetMs))).toBe(status);
  });

  test('that was revoked stays so after its end', () => {
    expect(shareStatus({ expiresAt: END, revokedAt: at(-5) }, at(5))).toBe('revoked');
  });
});
