import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiDocument } from '../fuzz/document';
import { operator, type Answer, type Json } from '../support/api';
import { resolved } from '../support/api-document';
import { createCaller, type Caller } from '../support/factories';

const published: Json = JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'));
const document = new ApiDocument(published);
const EVENT = { $ref: '#/components/schemas/CompareEvent' };

interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Json[];
  /** The first example of the body, which Swagger UI fills in. */
  body: Json;
}

const operations = Object.entries<Json>(resolved(published).paths).flatMap(([path, methods]) => Object.entries<Json>(methods).map(([method, { operationId, parameters = [], requestBody }]): Operation => {
  const [example] = Object.values<Json>(requestBody?.content['application/json'].examples ?? {});
  return { id: operationId, method: method.toUpperCase(), path, parameters, body: example?.value };
}));

/** The query that Swagger UI sends when nobody types anything: the defaults. */
function filledIn({ parameters }: Operation): string {
  const query = new URLSearchParams(parameters.filter(({ in: location, schema }) => location === 'query' && schema.default !== undefined).map(({ name, schema }): [string, string] => [name, String(schema.default)])).toString();
  return query === '' ? '' : `?${query}`;
}

/** Executes an operation as Swagger UI would, with the ids of what belongs to a caller. */
async function execute(operation: Operation, caller: Caller, evalId: string, options: { accept?: string; query?: string } = {}): Promise<Answer<Json>> {
  const ids: Record<string, string> = { evals: evalId, users: caller.userId, keys: caller.keyId };
  const path = operation.path.replace(/(\w+)\/\{id\}/, (_, things: string) => `${things}/${ids[things]}`);
  const as = operation.path.includes('/admin/') ? operator() : caller;
  return as.call(operation.method, path + (options.query ?? filledIn(operation)), operation.body, options.accept === undefined ? {} : { headers: { accept: options.accept } });
}

async function callerWithOneEval(): Promise<{ caller: Caller; evalId: string }> {
  const caller = await createCaller();
  return { caller, evalId: (await caller.compare({ prompt: 'Hello [[sim-sage:fail]]', models: ['sim-swift', 'sim-sage'] })).body.eval_id };
}

/** What of a response the document does not say. */
function problemWith({ method, path }: Operation, { status, headers, body, text }: Answer<Json>): string | undefined {
  const response = document.operations.find((one) => one.method === method && one.path === path)?.responses[status];
  if (response === undefined) return `${status} is not documented: ${text}`;
  if (status === 204) return text === '' ? undefined : 'a body';
  const type = (headers.get('content-type') ?? '').replace(/;.*/, '');
  const schema = response.content[type]?.schema;
  if (schema === undefined) return `${type} is not documented`;
  return type === 'application/json' ? document.problemWith(body, schema) : document.problemWith(text, { type: schema.type });
}

describe('What Swagger UI fills in', () => {
  it.each(operations.filter(({ path }) => !path.includes('{id}') && !path.includes('/admin/')).map((one) => [one.id, one] as const))('is answered with success after one eval: %s', async (id, operation) => {
    const { caller, evalId } = await callerWithOneEval();
    const { status, text } = await execute(operation, caller, evalId);
    // There is nowhere to leave a payment method before the operator has set a provider.
    if (id === 'billing_addPaymentMethod') expect(text).toContain('payment_provider_not_configured');
    else expect([id, text, status >= 200 && status < 300]).toEqual([id, text, true]);
  });

  it('finds the eval that there is', async () => {
    const { caller, evalId } = await callerWithOneEval();
    const list = operations.find(({ id }) => id === 'evals_list') as Operation;
    expect((await execute(list, caller, evalId)).body.evals.map((one: Json) => one.eval_id)).toEqual([evalId]);
  });
});

describe('A good response', () => {
  it.each(operations.filter(({ id }) => !['billing_addPaymentMethod', 'admin_adjust'].includes(id)).map((one) => [one.id, one] as const))('of %s is what the document says, with and without details', async (id, operation) => {
    const queries = operation.parameters.some(({ name }) => name === 'include') ? ['', '?include=details'] : [''];
    for (const query of queries) {
      const { caller, evalId } = await callerWithOneEval();
      const answer = await execute(operation.id === 'admin_createUser' ? { ...operation, body: { email: `${caller.keyId}@example.com` } } : operation, caller, evalId, { query });
      expect([id, query, answer.status < 300, problemWith(operation, answer)]).toEqual([id, query, true, undefined]);
    }
  });

  it('of an adjustment is what the document says', async () => {
    const { caller, evalId } = await callerWithOneEval();
    const adjust = operations.find(({ id }) => id === 'admin_adjust') as Operation;
    const answer = await execute({ ...adjust, body: { amount_usd: -1, reason: 'goodwill' } }, caller, evalId);
    expect([answer.status, problemWith(adjust, answer)]).toEqual([201, undefined]);
  });

  it('of the statement as CSV is what the document says', async () => {
    const { caller, evalId } = await callerWithOneEval();
    const statement = operations.find(({ id }) => id === 'usage_statement') as Operation;
    const answer = await execute(statement, caller, evalId, { accept: 'text/csv' });
    expect([answer.headers.get('content-type'), problemWith(statement, answer)]).toEqual(['text/csv; charset=utf-8', undefined]);
  });

  it.each([
    ['with a failed model', '[[sim-sage:fail]]', ''], ['with details', '[[sim-sage:fail]]', '?include=details'], ['with failed models only', '[[sim:fail]]', ''],
  ])('of a compare as a stream, %s, consists of events that the document describes', async (_, prompt, query) => {
    const run = operations.find(({ id }) => id === 'compare_run') as Operation;
    const answer = await execute({ ...run, body: { prompt, models: ['sim-swift', 'sim-sage'] } }, await createCaller(), '', { accept: 'text/event-stream', query });
    expect(problemWith(run, answer)).toBeUndefined();
    const events = answer.text.split('\n\n').filter((block) => block.startsWith('id: ')).map((block) => {
      const [id = '', event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2));
      return { id, event, data: JSON.parse(data) };
    });
    expect(events.length).toBeGreaterThan(2);
    for (const event of events) expect([event, document.problemWith(event, EVENT)]).toEqual([event, undefined]);
    for (const { data } of events.filter(({ event }) => event === 'result')) expect('details' in data).toBe(query !== '');
  });
});
