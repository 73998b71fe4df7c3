import type { Json } from '../../support/api';
import { createCaller, type Caller } from '../../support/factories';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

const compare = async (caller: Caller, body: object): Promise<Json> => (await caller.compare(body)).body;
const project = (caller: Caller, id: string, query = '') => caller.get(`/api/v1/evals/${id}/projection${query}`);

describe('The projection of an eval', () => {
  it("is its tokens at today's prices, times the calls, with the margin", async () => {
    const caller = await createCaller();
    const {
      eval_id: id,
      results: [result],
    } = await compare(caller, { prompt: '[[sim:length=300]] hello', models: ['sim-swift'] });
    const { status, text, body } = await project(caller, id, '?calls_per_month=400000');
    expect(status).toBe(200);
    const month = {
      from: '2026-01-01',
      until: null,
      hours: null,
      cost_per_call_usd: result.cost_usd,
      cost_per_call_without_cache_usd: result.cost_usd,
      monthly_cost_usd: expect.any(Number),
      monthly_charge_usd: expect.any(Number),
      ci: null,
      ci_method: null,
    };
    expect(body).toEqual({
      eval_id: id,
      calls_per_month: 400_000,
      margin: 0.4,
      models: [
        {
          model: 'sim-swift',
          answered: 1,
          months: [month],
          cost_per_passed: null,
          notes: ['One answer does not tell how much the cost of a call varies.'],
        },
      ],
    });
    // Exact: whole millionths of a dollar a token, and every digit of them.
    const millionths = BigInt(result.input_tokens) * 15n + 300n * 60n;
    expect(text).toContain(`"monthly_cost_usd":${Number(millionths * 4n) / 1000}`);
    expect(text).toContain(`"monthly_charge_usd":${Number(millionths * 56n) / 10_000}`);
  });

  it('has a month for every price that the catalog knows already, of the days to come', async () => {
    const caller = await createCaller();
    const { eval_id: id } = await compare(caller, { prompt: 'hello', models: ['gemini-3.8-flash', 'deepseek-v4-pro'] });
    const service = await startService({
      DATABASE_URL: worker().databaseUrl,
      SIMULATOR: 'on',
      TEST_CLOCK: '2026-11-20T00:00:00Z',
    });
    const there = caller.at(service.url);
    const [gemini, deepseek] = (await project(there, id)).body.models;
    expect(gemini.months.map(({ from, until }: Json) => [from, until])).toEqual([
      ['2026-09-02', '2026-12-31'],
      ['2027-01-01', null],
    ]);
    expect(gemini.months[1].cost_per_call_usd).toBeCloseTo(2 * gemini.months[0].cost_per_call_usd, 12);
    expect(deepseek.months.map(({ hours }: Json) => hours)).toEqual([
      null,
      { weekdays: [1, 2, 3, 4, 5], from: '01:00', until: '04:00' },
      { weekdays: [1, 2, 3, 4, 5], from: '06:00', until: '10:00' },
    ]);
    await service.moveClock(Date.parse('2027-02-01') - Date.parse('2026-11-20'));
    const later = (await project(there, id)).body.models[0];
    expect(later.months.map(({ from }: Json) => from)).toEqual(['2027-01-01']);
    await service.stop();
  });

  it('is empty, with the reason, for a model that failed', async () => {
    const caller = await createCaller();
    const { eval_id: id } = await compare(caller, {
      prompt: '[[sim-sage:fail]] hello',
      models: ['sim-swift', 'sim-sage'],
    });
    expect((await project(caller, id)).body).toMatchObject({
      calls_per_month: 1000,
      models: [
        { answered: 1 },
        {
          model: 'sim-sage',
          answered: 0,
          months: [],
          cost_per_passed: null,
          notes: ['The model did not answer in this eval, so there is nothing to project.'],
        },
      ],
    });
  });

  it.each([
    ['0', 'calls_per_month must be a whole number from 1 to 1,000,000,000'],
    ['-1', ''],
    ['1.5', ''],
    ['1e3', ''],
    ['x', ''],
    ['', ''],
    ['1000000001', ''],
    ['9'.repeat(400), ''],
  ])('is refused for %j calls', async (calls, message) => {
    const caller = await createCaller();
    const { eval_id: id } = await compare(caller, { prompt: 'hello', models: ['sim-swift'] });
    const { status, body } = await project(caller, id, `?calls_per_month=${calls}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'calls_per_month']);
    expect(body.error.message).toContain(message);
  });

  it("is a 404 for another user's eval, letter for letter as for none", async () => {
    const [owner, otherUser] = [await createCaller(), await createCaller()];
    const { eval_id: id } = await compare(owner, { prompt: 'hello', models: ['sim-swift'] });
    const [foreign, missing] = [
      await project(otherUser, id),
      await project(otherUser, 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3'),
    ];
    expect([foreign.status, foreign.text.replace(/req_\w+/, '')]).toEqual([404, missing.text.replace(/req_\w+/, '')]);
  });
});
