import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { ERRORS } from '../../src/common/errors';
import { Api, operator, type Answer, type Json } from '../support/api';
import { createCaller } from '../support/factories';

const committed: Json = JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'));

describe('The API document', () => {
  it('is the committed one; `npm run openapi:generate` regenerates it', async () => {
    expect((await new Api(undefined).get('/docs-json')).body).toEqual(committed);
  });

  it('is OpenAPI 3.1, has the five endpoints of the contract and bearer security on every operation', () => {
    expect(committed.openapi).toBe('3.1.0');
    for (const path of ['/api/v1/compare', '/api/v1/evals', '/api/v1/evals/{id}', '/api/v1/models', '/api/v1/usage']) expect(committed.paths).toHaveProperty([path]);
    expect(committed.components.securitySchemes).toEqual({ bearer: expect.objectContaining({ type: 'http', scheme: 'bearer' }) });
    const ids = operations().map(({ operationId }) => operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const operation of operations()) expect(operation.security).toEqual([{ bearer: [] }]);
  });

  it('documents a response and its errors, each with the error schema and an example, for every operation', () => {
    for (const operation of operations()) {
      const errors = Object.entries<Json>(operation.responses).filter(([status]) => Number(status) >= 400);
      expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
      for (const [status, answer] of errors) {
        const { schema, examples } = answer.content['application/json'];
        expect(schema).toEqual({ $ref: '#/components/schemas/ErrorDto' });
        for (const code of Object.keys(examples)) expect(ERRORS[code as keyof typeof ERRORS].status).toBe(Number(status));
      }
    }
  });

  it('lists every error code', () => {
    expect(committed.components.schemas.ErrorCode.enum).toEqual(Object.keys(ERRORS));
  });

  it('matches live responses, successful and failed', async () => {
    const caller = await createCaller();
    const compared = await caller.compare({ prompt: 'Hello [[sim-sage:fail]]', models: ['sim-swift', 'sim-sage'] });
    expectValid(compared, '/api/v1/compare', 'post');
    expectValid(await caller.compare({}), '/api/v1/compare', 'post');
    expectValid(await caller.compare({ prompt: '[[sim:fail]]', models: ['sim-swift'] }), '/api/v1/compare', 'post');
    expectValid(await caller.get('/api/v1/evals'), '/api/v1/evals', 'get');
    expectValid(await caller.get('/api/v1/evals?limit=0'), '/api/v1/evals', 'get');
    expectValid(await caller.get(`/api/v1/evals/${compared.body.eval_id}`), '/api/v1/evals/{id}', 'get');
    expectValid(await caller.get('/api/v1/evals/none'), '/api/v1/evals/{id}', 'get');
    expectValid(await caller.get('/api/v1/models'), '/api/v1/models', 'get');
    expectValid(await caller.get('/api/v1/usage'), '/api/v1/usage', 'get');
    const key = { headers: { 'idempotency-key': caller.keyId } };
    const { eval_id: id } = (await caller.compare({ prompt: 'Hello', models: ['sim-swift'] }, key)).body;
    expect((await caller.delete(`/api/v1/evals/${id}`)).status).toBe(204);
    expectValid(await caller.delete(`/api/v1/evals/${id}`), '/api/v1/evals/{id}', 'delete');
    expectValid(await caller.compare({ prompt: 'Hello', models: ['sim-swift'] }, key), '/api/v1/compare', 'post');
    expectValid(await operator().get('/api/v1/admin/audit'), '/api/v1/admin/audit', 'get');
    expectValid(await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes: ['compare'] }), '/api/v1/admin/keys/{id}', 'patch');
    expectValid(await caller.get('/api/v1/usage'), '/api/v1/usage', 'get');
    expectValid(await new Api(undefined).get('/api/v1/usage'), '/api/v1/usage', 'get');
  });
});

function operations(): Json[] {
  return Object.values<object>(committed.paths).flatMap((path) => Object.values(path));
}

/** Checks an answer against the document: the status is documented, the content type is JSON, the body fits and says nothing more. */
function expectValid(answer: Answer, path: string, method: string): void {
  const documented = committed.paths[path][method].responses[answer.status];
  expect([path, answer.status, documented]).toEqual([path, answer.status, expect.anything()]);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'document', components: closed(committed.components) });
  const { $ref } = documented.content['application/json'].schema;
  const validate = ajv.compile({ $ref: `document${$ref}` });
  validate(answer.body);
  expect([path, answer.status, validate.errors]).toEqual([path, answer.status, null]);
}

/** The same schemas with every object closed, so that an undocumented field fails. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]));
  return copy.type === 'object' && copy.properties ? { ...copy, additionalProperties: false } : copy;
}
