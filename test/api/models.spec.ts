import { aCaller } from '../support/factories';

describe('GET /api/v1/models', () => {
  it('lists what can be called, sorted by provider and id, with exactly the fields of the contract', async () => {
    const { status, body } = await (await aCaller()).get('/api/v1/models');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['models']);
    const keys = body.models.map((model: { provider: string; id: string }) => `${model.provider} ${model.id}`);
    expect(keys).toEqual([...keys].sort());
    for (const model of body.models) {
      expect(Object.keys(model).sort()).toEqual(['id', 'input_per_1m', 'name', 'output_per_1m', 'provider']);
      expect(typeof model.input_per_1m).toBe('number');
      expect(typeof model.output_per_1m).toBe('number');
    }
    expect(body.models).toContainEqual({ id: 'sim-swift', name: 'Simulated Swift', provider: 'simulator', input_per_1m: 0.15, output_per_1m: 0.6 });
  });

  it('lists only models that a compare takes', async () => {
    const caller = await aCaller();
    const ids: string[] = (await caller.get('/api/v1/models')).body.models.map((model: { id: string }) => model.id);
    for (let from = 0; from < ids.length; from += 8) {
      const { status, body } = await caller.compare({ prompt: 'Hello', models: ids.slice(from, from + 8) });
      expect(status).toBe(200);
      expect(body.results.filter((result: object) => 'error' in result)).toEqual([]);
    }
  });
});
