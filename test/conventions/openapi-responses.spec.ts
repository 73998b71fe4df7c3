import { readFileSync } from 'node:fs';
import { ApiDocument } from '../fuzz/document';
import type { Answer, Json } from '../support/api';
import {
  callerWithOneEval,
  DOCUMENT_FILE,
  documentedOperations,
  execute,
  operationOf,
  type Operation,
} from '../support/documented-operations';
import { createCaller } from '../support/factories';

const document = new ApiDocument(JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')));
/** There is nowhere to leave a payment method, and a run may have begun before it is canceled. */
const UNCERTAIN = ['billing_addPaymentMethod', 'runs_cancel'];
const EVENT = { $ref: '#/components/schemas/CompareEvent' };

/** The undocumented part of a response. */
function problemWith({ method, path }: Operation, { status, headers, body, text }: Answer<Json>): string | undefined {
  const response = document.operations.find((one) => one.method === method && one.path === path)?.responses[status];
  if (response === undefined) return `${status} is not documented: ${text}`;
  if (status === 204) return text === '' ? undefined : 'a body';
  const type = (headers.get('content-type') ?? '').replace(/;.*/, '');
  const schema = response.content[type]?.schema;
  if (schema === undefined) return `${type} is not documented`;
  return type === 'application/json'
    ? document.problemWith(body, schema)
    : document.problemWith(text, { type: schema.type });
}

describe('What Swagger UI fills in', () => {
  it.each(
    documentedOperations
      .filter(({ path }) => !path.includes('{') && !path.includes('/admin/'))
      .map((one) => [one.id, one] as const),
  )('is answered with success after one eval: %s', async (id, operation) => {
    const { caller, evalId } = await callerWithOneEval();
    const { status, text } = await execute(operation, caller, evalId);
    // There is nowhere to leave a payment method before the operator has set a provider.
    if (id === 'billing_addPaymentMethod') expect(text).toContain('payment_provider_not_configured');
    else expect([id, text, status >= 200 && status < 300]).toEqual([id, text, true]);
  });

  it('finds the eval that there is', async () => {
    const { caller, evalId } = await callerWithOneEval();
    expect(
      (await execute(operationOf('evals_list'), caller, evalId)).body.evals.map((one: Json) => one.eval_id),
    ).toEqual([evalId]);
  });
});

describe('A good response', () => {
  it.each(documentedOperations.filter(({ id }) => !UNCERTAIN.includes(id)).map((one) => [one.id, one] as const))(
    'of %s is what the document says, with and without details',
    async (id, operation) => {
      const queries = operation.parameters.some(({ name }) => name === 'include') ? ['', '?include=details'] : [''];
      for (const query of queries) {
        const { caller, evalId } = await callerWithOneEval();
        const answer = await execute(operation, caller, evalId, query === '' ? {} : { query });
        expect([id, query, answer.status < 300, problemWith(operation, answer)]).toEqual([id, query, true, undefined]);
      }
    },
  );

  it('of the statement as CSV is what the document says', async () => {
    const { caller, evalId } = await callerWithOneEval();
    const statement = operationOf('usage_statement');
    const answer = await execute(statement, caller, evalId, { accept: 'text/csv' });
    expect([answer.headers.get('content-type'), problemWith(statement, answer)]).toEqual([
      'text/csv; charset=utf-8',
      undefined,
    ]);
  });

  it.each([
    ['with a failed model', '[[sim-sage:fail]]', ''],
    ['with details', '[[sim-sage:fail]]', '?include=details'],
    ['with failed models only', '[[sim:fail]]', ''],
  ])('of a compare as a stream, %s, consists of events that the document describes', async (_, prompt, query) => {
    const run = operationOf('compare_run');
    const answer = await execute(run, await createCaller(), '', {
      accept: 'text/event-stream',
      query,
      body: { prompt, models: ['sim-swift', 'sim-sage'] },
    });
    expect(problemWith(run, answer)).toBeUndefined();
    const events = answer.text
      .split('\n\n')
      .filter((block) => block.startsWith('id: '))
      .map((block) => {
        const [id = '', event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2));
        return { id, event, data: JSON.parse(data) };
      });
    expect(events.length).toBeGreaterThan(2);
    for (const event of events) expect([event, document.problemWith(event, EVENT)]).toEqual([event, undefined]);
    for (const { data } of events.filter(({ event }) => event === 'result'))
      expect('details' in data).toBe(query !== '');
  });
});
