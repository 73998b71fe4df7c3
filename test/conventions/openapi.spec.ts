import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { ERRORS, type ErrorCode } from '../../src/common/errors';
import { RESULT_ERROR_CODES, RESULT_WARNING_CODES } from '../../src/common/result-codes';
import { Api, operator, type Answer, type Json } from '../support/api';
import { closed, operationsOf, resolved } from '../support/api-document';
import { createCaller } from '../support/factories';

const published: Json = JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'));
const committed = resolved(published);
/**
 * 90,000 before checks, samples, agreement, drift, runs and shares, which are 12 operations of 34; 200,000 before data
 * sets and experiments; 250,000 before recommendations, decisions, reports and shares of experiments; 266,000 before judges
 * and votes.
 */
const MAX_BYTES = 290_000;

/** The responses of every operation. */
const EVERYWHERE = ['401', '403', '408', '417', '429', '431', '500', '503'];

/** Every key may read itself, and a link needs no key. */
const LACKING: Readonly<Record<string, string[]>> = {
  key_get: ['403'],
  shares_open: ['401', '403'],
  shares_ballot: ['401', '403'],
  shares_vote: ['401', '403'],
};

describe('The API document', () => {
  it('is the committed one; `npm run openapi:generate` regenerates it', async () => {
    expect((await new Api(undefined).get('/docs-json')).body).toEqual(published);
  });

  it('is OpenAPI 3.1 and has the five endpoints of the contract, a license and a server', () => {
    expect(published.openapi).toBe('3.1.0');
    for (const path of ['/api/v1/compare', '/api/v1/evals', '/api/v1/evals/{id}', '/api/v1/models', '/api/v1/usage'])
      expect(published.paths).toHaveProperty([path]);
    expect([published.info.license.name, published.servers]).toEqual([
      'MIT',
      [{ url: '/', description: 'This service' }],
    ]);
  });

  it(`takes at most ${MAX_BYTES} bytes without white space`, () => {
    expect(Buffer.byteLength(JSON.stringify(published))).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('asks for the key of a user or of the operator, and does not say what is inside', () => {
    expect(published.components.securitySchemes).toEqual({
      apiKey: { type: 'http', scheme: 'bearer', description: expect.any(String) },
      operator: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
    for (const [path, methods] of Object.entries<object>(published.paths)) {
      for (const { security } of Object.values<Json>(methods as Json))
        expect([path, security]).toEqual([
          path,
          path.includes('/shared/') ? [] : [path.includes('/admin/') ? { operator: [] } : { apiKey: [] }],
        ]);
    }
  });

  it('names each operation after what it is about and what it does', () => {
    const ids = operationsOf(published).map(({ operationId }) => operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !id.startsWith('admin_'))).toEqual(
      expect.arrayContaining([
        'compare_run',
        'compare_estimate',
        'evals_list',
        'evals_get',
        'evals_erase',
        'models_list',
        'usage_get',
        'usage_statement',
        'usage_breakdown',
        'billing_addPaymentMethod',
      ]),
    );
    for (const { operationId, tags } of operationsOf(published))
      expect([operationId, tags]).toEqual([operationId, [operationId.split('_')[0]]]);
  });

  it('describes every operation, parameter, schema, member and header', () => {
    expect(undescribed(published)).toEqual([]);
  });

  it('says before its operations how to get a key, call, watch, pay, and what each error is', () => {
    const { description } = published.info;
    expect([...description.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'Get a key',
      'First call',
      'Watch it',
      'Money',
      'Errors',
      'Limits and headers',
    ]);
    const catalog = [...description.split('## Errors')[1].matchAll(/^\| (\d{3}) \| (.+) \|$/gm)].flatMap(
      ([, status, codes]) => [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
    );
    expect(Object.fromEntries(catalog)).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])),
    );
  });

  it('names schemas in the words of the API', () => {
    expect(
      Object.keys(published.components.schemas).filter((name) => name.endsWith('Dto') || name.endsWith('DTO')),
    ).toEqual([]);
  });

  it('documents a response and its errors, with their codes and the error schema, for every operation', () => {
    for (const { operationId, responses } of operationsOf(committed)) {
      const errors = Object.entries<Json>(responses).filter(([status]) => Number(status) >= 400);
      expect(errors.map(([status]) => status)).toEqual(
        expect.arrayContaining(EVERYWHERE.filter((status) => !(LACKING[operationId as string] ?? []).includes(status))),
      );
      for (const [status, { description, content }] of errors) {
        const codes = codesIn(description);
        expect(codes.map((code) => String(ERRORS[code]?.status))).toEqual(codes.map(() => status));
        expect(content['application/json'].schema).toEqual({
          $ref: `#/components/schemas/${status === '502' ? 'AllModelsFailedResponse' : 'ErrorResponse'}`,
        });
      }
    }
  });

  it('has the errors and parameters of several operations once', () => {
    const inline = operationsOf(published)
      .flatMap(({ responses, parameters = [] }) => [
        ...Object.entries<Json>(responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([, response]) => response),
        ...parameters,
      ])
      .filter(({ $ref }: Json) => $ref === undefined);
    const texts = inline.map((one: Json) => JSON.stringify(one));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it('has every header that responses carry', async () => {
    const caller = await createCaller();
    for (let index = 0; index < 2; index += 1) await caller.compare({ prompt: 'Hello', models: ['sim-swift'] });
    const answers: [path: string, method: string, answer: Answer][] = [
      [
        '/api/v1/compare',
        'post',
        await caller.compare(
          { prompt: 'Hello', models: ['sim-swift'] },
          { headers: { 'idempotency-key': caller.keyId } },
        ),
      ],
      [
        '/api/v1/compare',
        'post',
        await caller.compare(
          { prompt: 'Hello', models: ['sim-swift'] },
          { headers: { 'idempotency-key': caller.keyId } },
        ),
      ],
      [
        '/api/v1/compare',
        'post',
        await caller.compare(
          { prompt: 'Hello', models: ['sim-swift'] },
          { headers: { prefer: 'respond-async, wait=30' } },
        ),
      ],
      ['/api/v1/evals', 'get', await caller.get('/api/v1/evals?limit=1')],
      ['/api/v1/models', 'get', await caller.get('/api/v1/models')],
      [
        '/api/v1/usage/statement',
        'get',
        await caller.get('/api/v1/usage/statement', { headers: { accept: 'text/csv' } }),
      ],
      ['/api/v1/usage', 'get', await new Api(undefined).get('/api/v1/usage')],
      ['/api/v1/admin/users', 'get', await operator().get('/api/v1/admin/users')],
    ];
    const seen = new Set<string>();
    for (const [path, method, { status, headers }] of answers) {
      const documented = Object.keys(committed.paths[path][method].responses[status].headers).map((name) =>
        name.toLowerCase(),
      );
      // Said once, by the header itself.
      if (documented.includes('ratelimit')) documented.push('ratelimit-policy');
      const carried = [...headers.keys()].filter((name) => !NOT_DOCUMENTED.has(name));
      expect([path, status, carried.filter((name) => !documented.includes(name))]).toEqual([path, status, []]);
      for (const name of carried) seen.add(name);
    }
    const named = Object.keys(published.components.headers).map((name) => name.toLowerCase());
    expect(named.filter((name) => !seen.has(name))).toEqual(['retry-after']);
  });

  it('lists the codes of errors, of failed models and of warnings', () => {
    const { ErrorCode, ResultErrorCode, ResultWarningCode } = published.components.schemas;
    expect([ErrorCode.enum, ResultErrorCode.enum, ResultWarningCode.enum]).toEqual([
      Object.keys(ERRORS),
      RESULT_ERROR_CODES,
      RESULT_WARNING_CODES,
    ]);
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
    expectValid(
      await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, { scopes: ['compare'] }),
      '/api/v1/admin/keys/{id}',
      'patch',
    );
    expectValid(await caller.get('/api/v1/usage'), '/api/v1/usage', 'get');
    expectValid(await new Api(undefined).get('/api/v1/usage'), '/api/v1/usage', 'get');
  });
});

/** Headers of HTTP itself, of proxies and of browsers. */
const NOT_DOCUMENTED = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-content-type-options',
]);

/** The error codes that a response's description explains. */
function codesIn(description: string): ErrorCode[] {
  return [...description.matchAll(/^`(\w+)`: \S/gm)].map(([, code]) => code as ErrorCode);
}

/** Paths of what has no description although it should have one. */
function undescribed({ paths, components, tags }: Json): string[] {
  const without = (things: Record<string, Json>, at: string) =>
    Object.entries(things)
      .filter(([, { $ref, description }]) => $ref === undefined && !/\S/.test(description ?? ''))
      .map(([name]) => `${at} ${name}`);
  const members = Object.entries<Json>(components.schemas).flatMap(([name, schema]) =>
    [schema, ...(schema.allOf ?? [])].flatMap(({ properties = {} }: Json) => without(properties, name)),
  );
  const operations = Object.entries<Json>(paths).flatMap(([path, methods]) => [
    ...without(methods, path),
    ...Object.values<Json>(methods).flatMap(({ parameters = [], responses }) => [
      ...without(parameters, `${path} parameter`),
      ...without(responses, path),
    ]),
  ]);
  return [
    ...operations,
    ...members,
    ...without(components.schemas, 'schema'),
    ...without(components.headers, 'header'),
    ...without(components.parameters, 'parameter'),
    ...without(tags, 'tag'),
  ];
}

/**
 * Checks an answer against the document: the status is documented, the content type is JSON, the body fits and says
 * nothing more.
 */
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
