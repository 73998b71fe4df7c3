import { prepareStatements } from './prepared-statements';

class Client {
  readonly sent: unknown[][] = [];

  query(...given: unknown[]): void {
    this.sent.push(given);
  }
}

function aClient(): Client {
  const pool = { Client };
  prepareStatements(pool);
  return new pool.Client();
}

describe('prepared statements', () => {
  it('runs a statement with parameters under one name, whatever the parameters', () => {
    const client = aClient();
    client.query('select $1', ['a']);
    client.query('select $1', ['b']);
    client.query('select $1, $2', ['a', 'b']);
    const [[first], [second], [third]] = client.sent as [[{ name: string }], [{ name: string }], [{ name: string }]];
    expect(first).toEqual({ name: first.name, text: 'select $1', values: ['a'] });
    expect(second).toEqual({ name: first.name, text: 'select $1', values: ['b'] });
    expect(third.name).not.toBe(first.name);
  });

  it('gives every client of the process the same name for a text', () => {
    const [one, other] = [aClient(), aClient()];
    one.query('select $1::int', [1]);
    other.query('select $1::int', [1]);
    expect(one.sent).toEqual(other.sent);
  });

  it('hands a callback on', () => {
    const client = aClient();
    const callback = () => undefined;
    client.query('select $1', ['a'], callback);
    const [[statement, last]] = client.sent as [[{ text: string; values: unknown[] }, unknown]];
    expect([statement.text, statement.values, last]).toEqual(['select $1', ['a'], callback]);
  });

  it('leaves alone what has no parameters or is no text', () => {
    const client = aClient();
    const cursor = { submit: () => undefined };
    client.query('begin', []);
    client.query(cursor);
    expect(client.sent).toEqual([['begin', []], [cursor, undefined]]);
  });

  it('stops naming before a flood of texts fills the connections', () => {
    const client = aClient();
    for (let index = 0; index < 2000; index += 1) client.query(`select $1, ${index}`, [1]);
    const named = client.sent.filter(([statement]) => typeof statement === 'object');
    expect(named.length).toBeGreaterThan(100);
    expect(named.length).toBeLessThanOrEqual(500);
    expect(client.sent.at(-1)).toEqual(['select $1, 1999', [1]]);
  });
});
