import type { Model } from '../../client/client';
import { idsOf } from './efforts';

describe('idsOf', () => {
  const model = (reasoning: unknown) => ({ id: 'a', details: { reasoning } }) as unknown as Model;
  it.each([
    [{ efforts: ['high', 'low', 'new'] }, ['a', 'a@low', 'a@high']],
    [null, ['a']],
    [{ efforts: 'low' }, ['a']],
    [undefined, ['a']],
  ])('of %j are %j', (reasoning, ids) => expect(idsOf(model(reasoning))).toEqual(ids));
});
