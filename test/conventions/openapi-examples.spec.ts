import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operator, type Answer, type Json } from '../support/api';
import { resolved } from '../support/api-document';
import { createCaller, type Caller } from '../support/factories';
import { judgeExperiment } from '../support/judge-experiment';
import { ballotFor, filledPath, idFor } from '../support/things';

interface Operation {
  name: string;
  method: string;
  path: string;
  operation: Json;
}

const committed: Json = resolved(JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')));
const operations = Object.entries<Json>(committed.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]): Operation => ({
    name: `${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
    method,
    path,
    operation,
  })),
);
const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined);

/** The bodies that are offered, in the order in which Swagger UI does; the first is filled in. */
const bodiesOf = ({ operation }: Operation): Json[] =>
  Object.values<Json>(operation.requestBody.content['application/json'].examples ?? {}).map(({ value }) => value);

/** Sends a body as Swagger UI would, with ids of what belongs to this caller. */
async function execute({ method, path }: Operation, body: Json, caller: Caller): Promise<Answer<Json>> {
  const filled =
    body.winner === 'yes'
      ? `/api/v1/experiments/${await judgeExperiment(caller, await idFor('experiments', caller, ''), { kind: 'rubric' })}/votes`
      : await filledPath(path, caller, path.includes('/evals/') ? await evalOf(caller) : '');
  const as = path.includes('/admin/') ? operator() : caller;
  return as.call(method.toUpperCase(), filled, { ...body, ...(await ownIds(body, caller, filled)) });
}

/** The members of a body that name what a caller has, with ids of this one. */
async function ownIds({ subject, dataset, ballot, judge }: Json, caller: Caller, path: string): Promise<object> {
  return {
    ...(subject !== undefined && { subject: await evalOf(caller) }),
    ...(ballot !== undefined && { ballot: await ballotFor(path, caller) }),
    ...(judge !== undefined && { judge: { ...judge, of: await idFor('experiments', caller, '') } }),
    ...(dataset !== undefined && { dataset: await idFor('datasets', caller, 'France') }),
  };
}

async function evalOf(caller: Caller): Promise<string> {
  return (await caller.compare({ prompt: 'to be shared', models: ['sim-swift'] })).body.eval_id as string;
}

/** The operator's view of a user, without the last use of its keys. */
async function stateOf({ userId }: Caller): Promise<Json> {
  const user = (await operator().get(`/api/v1/admin/users/${userId}`)).body;
  const { keys } = (await operator().get(`/api/v1/admin/users/${userId}/keys`)).body;
  return { user, keys: keys.map((key: Json) => ({ ...key, last_used_at: undefined })) };
}

describe('The examples of the API document', () => {
  it('fill in no parameter, so that an executed list or month shows everything', () => {
    for (const { name, operation } of operations) {
      for (const { name: parameter, schema, ...rest } of operation.parameters ?? []) {
        expect([name, parameter, rest.example, rest.examples, schema.example, schema.examples]).toEqual([
          name,
          parameter,
          undefined,
          undefined,
          undefined,
          undefined,
        ]);
        if ('default' in schema)
          expect(['limit', 'offset', 'by', 'calls_per_month', 'state', 'tolerance', 'texts', 'rows', 'skip']).toContain(
            parameter,
          );
      }
    }
  });

  it('offer every body by name, the smallest first', () => {
    expect(withBody.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'POST /compare',
        'POST /compare/estimate',
        'POST /admin/users',
        'PATCH /admin/users/{id}',
        'POST /admin/users/{id}/keys',
        'PATCH /admin/keys/{id}',
        'POST /admin/keys/{id}/rotate',
        'POST /admin/users/{id}/adjustments',
      ]),
    );
    for (const one of withBody) {
      const [first, ...others] = bodiesOf(one);
      expect([one.name, first !== undefined, others.length > 0]).toEqual([one.name, true, true]);
      const required: string[] =
        committed.components.schemas[
          one.operation.requestBody.content['application/json'].schema.$ref.split('/').at(-1)
        ].required ?? [];
      // The required members, or one member if none is required; a compare includes the input for its prompt, and an
      // experiment the three members that another one can replace.
      const more = one.name.startsWith('POST /compare')
        ? 1
        : /^POST \/experiments(\/estimate)?$/.test(one.name)
          ? 3
          : 0;
      const most = Math.max(1, required.length + more);
      expect([one.name, Object.keys(first).length <= most]).toEqual([one.name, true]);
    }
  });

  it.each(withBody.map((one) => [one.name, one] as const))(
    'succeed for %s as their names say, except for the templates that are to be filled in',
    async (name, one) => {
      for (const [index, body] of bodiesOf(one).entries()) {
        const { status } = await execute(one, body, await createCaller());
        const wanted =
          /\/(adjustments|resend)$/.test(name) && index === 0
            ? [400]
            : name === 'POST /admin/users'
              ? [201, 409]
              : [200, 201, 202];
        expect([name, body, wanted.includes(status)]).toEqual([name, body, true]);
      }
    },
  );

  it('leave the ledger unchanged when an adjustment is executed unedited, and report what is missing', async () => {
    const caller = await createCaller();
    const adjust = withBody.find(({ name }) => name.endsWith('/adjustments')) as Operation;
    const { body } = await execute(adjust, bodiesOf(adjust)[0], caller);
    expect(body.error).toMatchObject({ code: 'invalid_request', param: 'amount_usd' });
    expect((await caller.get('/api/v1/usage/statement')).body.lines).toEqual([]);
  });

  it('issue a key with all scopes, next to the others', async () => {
    const caller = await createCaller();
    const before = await stateOf(caller);
    const issue = withBody.find(({ name }) => name === 'POST /admin/users/{id}/keys') as Operation;
    await execute(issue, bodiesOf(issue)[0], caller);
    const after = await stateOf(caller);
    expect(after).toEqual({ user: before.user, keys: expect.arrayContaining(before.keys) });
    const issued = after.keys.find(({ id }: Json) => id !== caller.keyId);
    expect(issued).toMatchObject({
      scopes: ['compare', 'evals:read', 'usage:read', 'models:read', 'shares', 'experiments', 'experiments:read'],
      allowed_models: null,
      expires_at: null,
      monthly_spend_limit_usd: null,
    });
  });

  it('change one member in a PATCH and leave the others unchanged', async () => {
    const caller = await createCaller({ hasPaymentMethod: true, monthlySpendLimitUsd: 7 });
    const before = await stateOf(caller);
    for (const one of withBody.filter(({ method }) => method === 'patch')) await execute(one, bodiesOf(one)[0], caller);
    const [key] = before.keys;
    expect(await stateOf(caller)).toEqual({
      user: { ...before.user, free_quota: 100 },
      keys: [{ ...key, monthly_spend_limit_usd: 100 }],
    });
  });

  it('keep the old key valid when one is rotated', async () => {
    const caller = await createCaller();
    const rotate = withBody.find(({ name }) => name.endsWith('/rotate')) as Operation;
    expect((await execute(rotate, bodiesOf(rotate)[0], caller)).status).toBe(201);
    expect((await caller.get('/api/v1/usage')).status).toBe(200);
  });
});

describe('The responses of the API document', () => {
  it('describe each thing once', () => {
    for (const { name, operation } of operations) {
      for (const [status, { description }] of Object.entries<Json>(operation.responses)) {
        const paragraphs = description.split('\n\n');
        expect([name, status, description !== '', paragraphs.length]).toEqual([
          name,
          status,
          true,
          new Set(paragraphs).size,
        ]);
      }
    }
  });

  it('give CSV and event streams a separate schema with an example of a real response', async () => {
    const statement = committed.paths['/api/v1/usage/statement'].get.responses['200'].content;
    const compare = committed.paths['/api/v1/compare'].post.responses['200'].content;
    expect([statement['application/json'].schema, compare['application/json'].schema]).toEqual([
      { $ref: '#/components/schemas/Statement' },
      { $ref: '#/components/schemas/Eval' },
    ]);
    for (const { schema } of [statement['text/csv'], compare['text/event-stream']])
      expect(schema).toMatchObject({ type: 'string', description: expect.any(String) });
    const lines = statement['text/csv'].example.split('\r\n');
    const { text } = await (await createCaller()).get('/api/v1/usage/statement', { headers: { accept: 'text/csv' } });
    expect([lines[0], lines.at(-1), lines.length]).toEqual([text.split('\r\n')[0], '', 5]);
    expect(Object.keys(statement)).toEqual(['application/json', 'text/csv']);
  });
});
