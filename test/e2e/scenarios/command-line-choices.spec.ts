import { createCaller } from '../../support/factories';
import { mcs } from '../../support/mcs';

const HOSTILE = '\u001b[2J\u001b]0;title\u0007\u009b31m a\u202eb';

describe('mcs with a stored eval', () => {
  it('stores choices, notes and stars, shows where a page is, and erases', async () => {
    const caller = await createCaller();
    const environment = { MCS_MODELS: 'sim-swift,sim-sage' };
    const { eval_id: id } = JSON.parse((await mcs(caller, ['compare', 'Hi', '--json'], { environment })).out);
    expect((await mcs(caller, ['prefer', id, 'sim-sage', '--reason', 'clearer'])).errors).toBe(
      `Stored. To take it back: mcs unprefer ${id}\n`,
    );
    expect((await mcs(caller, ['preferences'])).out).toMatch(
      /^model\tother\tfor_model\tfor_other\tties\tevals\trate\trate_low\trate_high\nsim-sage\tsim-swift\t1\t0\t0\t1\t1\t[\d.]+\t1\n$/,
    );
    expect((await mcs(caller, ['prefer', id, 'sim-titan'])).code).toBe(2);
    expect((await mcs(caller, ['unprefer', id])).code).toBe(0);
    expect(JSON.parse((await mcs(caller, ['note', id, HOSTILE, '--json'])).out)).toMatchObject({
      note: HOSTILE,
      starred: false,
    });
    expect((await mcs(caller, ['star', id])).errors).toBe('Stored. This eval has a star.\n');
    expect((await mcs(caller, ['evals', '--starred', '--csv'])).out.split('\r\n')).toEqual([
      expect.any(String),
      expect.stringMatching(new RegExp(`^${id},`)),
      '',
    ]);
    expect((await mcs(caller, ['star', id, '--remove'])).code).toBe(0);
    expect((await mcs(caller, ['evals', '--starred'])).out.trimEnd().split('\n')).toHaveLength(1);
    expect((await mcs(caller, ['open', id])).out).toBe(`${caller.url}/evals/${id}\n`);
    expect([(await mcs(caller, ['open', 'eval_x'])).code, (await mcs(caller, ['erase', id])).code]).toEqual([2, 2]);
    expect([
      (await mcs(caller, ['erase', id, '--yes'])).code,
      (await caller.get(`/api/v1/evals/${id}`)).status,
    ]).toEqual([0, 404]);
  });
});
