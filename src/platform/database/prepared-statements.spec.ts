import { StatementNames } from './prepared-statements';

describe('The names of prepared statements', () => {
  it('are the same for the same text in every process, and differ for other texts', () => {
    const [one, other] = [new StatementNames(), new StatementNames()];
    other.nameOf('select of something else, $1');
    expect(one.nameOf('select $1')).toBe(other.nameOf('select $1'));
    expect(one.nameOf('select $1')).not.toBe(one.nameOf('select $1 '));
    // Of two releases as well: their processes share a pooler's connections.
    expect(one.nameOf('select $1')).toBe('mcs_375fa1233f1f09a898484552d9b3f921b1a96a5a');
  });

  it('fit into the length that Postgres accepts for a name', () => {
    expect(new StatementNames().nameOf('select $1'.repeat(1000))).toMatch(/^[a-z0-9_]{1,63}$/);
  });

  it('end before a flood of texts fills the connections, and texts that have a name keep it', () => {
    const names = new StatementNames();
    const given = Array.from({ length: 2000 }, (_, index) => names.nameOf(`select $1, ${index}`)).filter(
      (name) => name !== undefined,
    );
    expect(new Set(given).size).toBe(500);
    expect(names.nameOf('select $1, 0')).toBe(given[0]);
    expect(names.nameOf('select $1, 1999')).toBeUndefined();
  });

  it('are given up for all texts at once, which is reported once', () => {
    const names = new StatementNames();
    names.nameOf('select $1');
    expect([names.disable(), names.disable()]).toEqual([true, false]);
    expect([names.nameOf('select $1'), names.nameOf('select $1, $2')]).toEqual([undefined, undefined]);
  });
});
