import { onDatabase } from '../../support/database';
import { createCaller, type Caller } from '../../support/factories';
import { worker } from '../../support/worker';

const MODELS = ['sim-swift', 'sim-quill'];

/**
 * Every control character that Postgres stores, what JSON escapes, what JavaScript escapes, characters of two, three
 * and four bytes, and text that looks like JSON or SQL.
 */
const NASTY = [
  Array.from({ length: 0x1f }, (_, code) => String.fromCharCode(code + 1)).join(''),
  '"quoted" \\ / \b\f\n\r\t \u007f\u0080\u009f\u00a0\u00ad',
  '\u2028\u2029\ufeff\ufffd\uffff',
  'ß漢🦜👩‍👩‍👧',
  '{"error":null}, [ ] null',
  "'; drop table results; --",
  '$1 %s \\u0041 <script>&amp;',
  '',
].join('|');

/** The new values of an eval's results; the rest is unchanged. */
const RESULTS: Record<string, string> = {
  'as it was stored': '',
  'text of every kind': `output = $2, model = $2, provider = $2`,
  'a failure': `output = '', error = jsonb_build_object('code', 'timeout', 'message', $2::text, 'retryable', true)`,
  'several warnings': `warnings = jsonb_build_array(jsonb_build_object('code', 'a', 'message', $2::text), jsonb_build_object('code', 'b', 'message', ''))`,
  'a failure with a warning': `error = '{"code": "x", "message": "y", "retryable": false}', warnings = '[{"code": "c", "message": "d"}]'`,
  'trailing zeros': 'cost = 0.0000120000, latency_ms = 0',
  'a round amount': 'cost = 1200.000',
  nothing: 'cost = 0.00, input_tokens = 0, output_tokens = 0',
  'more digits than a float has': 'cost = 123456789.01234567890123456789',
  'the largest counts': 'input_tokens = 2147483647, output_tokens = 2147483647, latency_ms = 2147483647',
};

const EVALS: Record<string, string> = {
  'text of every kind': 'prompt = $2, fastest_model = $2, cheapest_model = $2, models = array[$2, $2]',
  'trailing zeros': `total_cost = 0.1000, created_at = '2026-02-01T00:00:00.100Z'`,
  nothing: `total_cost = 0, fastest_model = '', cheapest_model = '', created_at = '2026-12-31T23:59:59.999Z'`,
  'more digits than a float has': `total_cost = 0.00000000000000000001, created_at = '2024-02-29T12:00:00Z'`,
};

/** A JSON text without `details`, digit for digit. */
function withoutDetails(text: string): string {
  const visit = (name: string, value: unknown, context?: { source?: string }) => {
    if (name === 'details') return undefined;
    return typeof value === 'number' ? JSON.rawJSON(context?.source ?? '') : value;
  };
  return JSON.stringify(JSON.parse(text, visit));
}

describe('GET /evals/:id without details, which Postgres writes', () => {
  let caller: Caller;
  let path: string;
  let id: string;
  beforeAll(async () => {
    caller = await createCaller();
  });
  beforeEach(async () => {
    id = (await caller.compare({ prompt: 'Say {input}', input: 'hello', models: MODELS })).body.eval_id;
    path = `/api/v1/evals/${id}`;
  });

  const change = (statement: string) =>
    onDatabase(worker().databaseUrl, (client) =>
      client.query(statement, statement.includes('$2') ? [id, NASTY] : [id]),
    );

  async function expectSameBytes(): Promise<void> {
    const [plain, whole] = [await caller.get(path), await caller.get(`${path}?include=details`)];
    expect([plain.status, whole.status]).toEqual([200, 200]);
    expect(plain.text).toBe(withoutDetails(whole.text));
    expect(plain.headers.get('content-type')).toBe(whole.headers.get('content-type'));
    expect(plain.headers.get('content-length')).toBe(String(Buffer.byteLength(plain.text)));
  }

  it.each(Object.entries(RESULTS))(
    'is byte for byte what is written with details, less the details: results with %s',
    async (_, changes) => {
      if (changes !== '') await change(`update results set ${changes} where eval_id = $1 and position = 1`);
      await expectSameBytes();
    },
  );

  it.each(Object.entries(EVALS))(
    'is byte for byte what is written with details, less the details: an eval with %s',
    async (_, changes) => {
      await change(`update evals set ${changes} where id = $1`);
      await expectSameBytes();
    },
  );

  it('lists the results in request order, however they were stored', async () => {
    await change('update results set position = position + 10 where eval_id = $1 and position = 0');
    await expectSameBytes();
    expect((await caller.get(path)).body.results.map(({ model }: { model: string }) => model)).toEqual(
      [...MODELS].reverse(),
    );
  });
});
