import { openBallot, sealBallot, type Ballot } from './ballot';

const NOW = new Date('2026-11-29T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const PEPPER = 'pepper-0123456789abcdef';
const BALLOT: Ballot = {
  experimentId: 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3',
  rowNo: 7,
  itemNo: 2,
  voter: 'key key_1',
  isRandom: true,
  isSwapped: true,
};
const later = (ms: number) => new Date(NOW.getTime() + ms);
const token = sealBallot(BALLOT, NOW, PEPPER);
const open = (text: string, owner: Partial<Ballot> = {}, at = NOW, peppers = [PEPPER]) =>
  openBallot(text, { ...BALLOT, ...owner }, at, peppers);

/** The same ballot with other contents and the old signature. */
function forged(change: object): string {
  const [payload = '', signature = ''] = token.slice('mcs_ballot_'.length).split('.');
  const contents: object = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return `mcs_ballot_${Buffer.from(JSON.stringify({ ...contents, ...change })).toString('base64url')}.${signature}`;
}

describe('A ballot', () => {
  it('is what was drawn, for an hour, and does not say who votes', () => {
    expect(open(token, {}, later(HOUR_MS - 1))).toEqual(BALLOT);
    expect(Buffer.from(token.split('_')[2] ?? '', 'base64url').toString()).not.toContain(BALLOT.voter);
    expect(token.length).toBeLessThan(400);
  });

  it('is still good under the pepper before', () => {
    expect(open(token, {}, NOW, ['another-pepper-0123456789', PEPPER])).toEqual(BALLOT);
  });

  it.each([
    ['is no ballot', 'nonsense', 'ballot must be the text that GET …/ballot gave; send it unchanged.'],
    ['has no signature', token.split('.')[0] ?? '', 'ballot must be the text'],
    ['has a short signature', token.slice(0, -1), 'ballot must be the text'],
    ['has another row', forged({ rowNo: 8 }), 'This ballot was changed, or is not of this service; get another one'],
    ['has another order', forged({ isSwapped: false }), 'This ballot was changed'],
    ['has a later end', forged({ expiresAt: later(2 * HOUR_MS).getTime() }), 'This ballot was changed'],
    ['has another signature', `${token.split('.')[0]}.${'A'.repeat(43)}`, 'This ballot was changed'],
    ['is of another service', sealBallot(BALLOT, NOW, 'another-pepper-0123456789'), 'This ballot was changed'],
  ])('is refused if it %s', (_, text, message) => {
    expect(() => open(text)).toThrow(expect.objectContaining({ code: 'invalid_request', param: 'ballot' }));
    expect(() => open(text)).toThrow(message);
  });

  it('is refused if any character of its signature changes, the last one included', () => {
    const [text, signature = ''] = token.split('.');
    for (let place = 0; place < signature.length; place += 1)
      for (const other of ['A', 'B', 'g', '_'])
        if (signature[place] !== other)
          expect(() => open(`${text}.${signature.slice(0, place)}${other}${signature.slice(place + 1)}`)).toThrow();
  });

  it.each<[string, Partial<Ballot>, Date, string]>([
    ['by another voter', { voter: 'key key_2' }, NOW, 'This ballot was drawn for another voter; get one with the key'],
    ['on another experiment', { experimentId: 'exp_2' }, NOW, 'This ballot belongs to another experiment; get one of'],
    ['after an hour', {}, later(HOUR_MS), 'This ballot has expired after an hour; get another one.'],
  ])('is refused if it is used %s', (_, owner, at, message) => {
    expect(() => open(token, owner, at)).toThrow(message);
  });
});
