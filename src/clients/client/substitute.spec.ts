import { substituteOf } from './substitute';
import type { Result } from './types';

describe('substituteOf', () => {
  const details = { answered_by: 'b' };
  it.each([
    [{ details, warnings: [{ code: 'model_substituted', message: 'New.' }] }, 'b'],
    [{ details, error: { code: 'model_substituted' } }, 'b'],
    [{ details }, undefined],
    [{ details: { answered_by: null }, warnings: [{ code: 'model_substituted', message: 'New.' }] }, undefined],
    [{ warnings: [{ code: 'model_substituted', message: 'New.' }] }, undefined],
  ])('of %j is %p', (members, name) => expect(substituteOf(members as unknown as Result)).toBe(name));
});
