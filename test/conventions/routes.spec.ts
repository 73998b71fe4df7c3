import { newSecret } from '../../src/modules/auth/api-key.format';
import { Api, operator, type Answer, type Json } from '../support/api';
import { createCaller, expire, type Caller } from '../support/factories';
import { TEST_SECRETS } from '../support/service';
import { filledPath } from '../support/things';

/** The routes that anybody may call; every other one is closed. */
const OPEN = [
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /docs',
  'GET /docs-json',
  'GET /docs-yaml',
  'GET /',
  'GET /history',
  'GET /evals/eval_1',
  'GET /usage',
];

/** Every live key may ask what it may do. */
const ANY_SCOPE = 'GET /api/v1/key';

/** All there are. */
const SCOPES = ['compare', 'evals:read', 'usage:read', 'models:read', 'shares', 'experiments', 'experiments:read'];

/**
 * The operations' answers to another user and to the operator, for an empty body and foreign ids. Requests without a
 * live key get 401 everywhere.
 */
const ACCESS: Record<string, { otherUser: string; operator: string }> = {
  'GET /api/v1/models': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/evals': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/evals/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/evals/{id}/agreement': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/evals/{id}/drift': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/evals/{id}/projection': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'POST /api/v1/evals/{id}/rerun': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/runs': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/runs/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'DELETE /api/v1/runs/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'PATCH /api/v1/evals/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'PUT /api/v1/evals/{id}/preference': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'DELETE /api/v1/evals/{id}/preference': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/preferences': { otherUser: '200', operator: '401 unauthorized' },
  'DELETE /api/v1/evals/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'POST /api/v1/compare': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'POST /api/v1/compare/estimate': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'POST /api/v1/checks': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'POST /api/v1/datasets': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'GET /api/v1/datasets': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/datasets/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/datasets/{id}/rows': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'DELETE /api/v1/datasets/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'POST /api/v1/experiments': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'POST /api/v1/experiments/estimate': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'GET /api/v1/experiments': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/experiments/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'PATCH /api/v1/experiments/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'DELETE /api/v1/experiments/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/experiments/{id}/rows': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/experiments/{id}/summary': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/experiments/{id}/report': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'PUT /api/v1/experiments/{id}/decision': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'DELETE /api/v1/experiments/{id}/decision': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/experiments/{id}/comparison': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'GET /api/v1/experiments/{id}/ballot': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'POST /api/v1/experiments/{id}/votes': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'POST /api/v1/shares': { otherUser: '400 invalid_request', operator: '401 unauthorized' },
  'GET /api/v1/shares': { otherUser: '200', operator: '401 unauthorized' },
  'DELETE /api/v1/shares/{id}': { otherUser: '404 not_found', operator: '401 unauthorized' },
  'GET /api/v1/shared/{token}': { otherUser: '200', operator: '200' },
  'GET /api/v1/shared/{token}/ballot': { otherUser: '400 invalid_request', operator: '400 invalid_request' },
  'POST /api/v1/shared/{token}/votes': { otherUser: '400 invalid_request', operator: '400 invalid_request' },
  'GET /api/v1/key': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/usage': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/usage/statement': { otherUser: '200', operator: '401 unauthorized' },
  'GET /api/v1/usage/breakdown': { otherUser: '200', operator: '401 unauthorized' },
  'POST /api/v1/billing/payment-method': {
    otherUser: '409 payment_provider_not_configured',
    operator: '401 unauthorized',
  },
  'POST /api/v1/admin/users': { otherUser: '403 forbidden', operator: '400 invalid_request' },
  'GET /api/v1/admin/users': { otherUser: '403 forbidden', operator: '200' },
  'GET /api/v1/admin/users/{id}': { otherUser: '403 forbidden', operator: '200' },
  'PATCH /api/v1/admin/users/{id}': { otherUser: '403 forbidden', operator: '200' },
  'POST /api/v1/admin/users/{id}/keys': { otherUser: '403 forbidden', operator: '400 invalid_request' },
  'GET /api/v1/admin/users/{id}/keys': { otherUser: '403 forbidden', operator: '200' },
  'GET /api/v1/admin/users/{id}/usage': { otherUser: '403 forbidden', operator: '200' },
  'POST /api/v1/admin/users/{id}/adjustments': { otherUser: '403 forbidden', operator: '400 invalid_request' },
  'GET /api/v1/admin/keys/{id}': { otherUser: '403 forbidden', operator: '200' },
  'PATCH /api/v1/admin/keys/{id}': { otherUser: '403 forbidden', operator: '200' },
  'POST /api/v1/admin/keys/{id}/rotate': { otherUser: '403 forbidden', operator: '201' },
  'DELETE /api/v1/admin/keys/{id}': { otherUser: '403 forbidden', operator: '204' },
  'GET /api/v1/admin/audit': { otherUser: '403 forbidden', operator: '200' },
  'GET /api/v1/admin/meter-events': { otherUser: '403 forbidden', operator: '200' },
  'POST /api/v1/admin/meter-events/{id}/resend': { otherUser: '403 forbidden', operator: '400 invalid_request' },
};

interface Route {
  name: string;
  /** True if the document says that it needs no key. */
  isPublic: boolean;
  send: (key: string | undefined) => Promise<Answer<Json>>;
}

/** Every operation of the API document, ready to be sent with the ids of that user. */
async function documentedRoutes(owner: Caller): Promise<Route[]> {
  const evalId = (await owner.compare({ prompt: 'mine', models: ['sim-swift'] })).body.eval_id as string;
  const document: Json = (await new Api(undefined).get('/docs-json')).body;
  return Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.entries<Json>(operations as Record<string, Json>).map(([operation, { security }]) => {
      const method = operation.toUpperCase();
      const send = async (key: string | undefined) =>
        new Api(key).call(method, await filledPath(path, owner, evalId), method === 'GET' ? undefined : {});
      return { name: `${method} ${path}`, isPublic: isPublic(security), send };
    }),
  );
}

/** Keys that open nothing, by what is wrong with them. */
async function deadKeys(): Promise<Record<string, string | undefined>> {
  const [revoked, expired] = [await createCaller(), await createCaller()];
  await operator().delete(`/api/v1/admin/keys/${revoked.keyId}`);
  await expire(expired);
  return {
    none: undefined,
    malformed: 'nonsense',
    mistyped: 'mcs_000000000000000000000000000000000000',
    unknown: newSecret(),
    revoked: revoked.key,
    expired: expired.key,
  };
}

/** True if an operation requires no key. */
function isPublic(security: object[]): boolean {
  return security.every((scheme) => Object.keys(scheme).length === 0);
}

function outcome({ status, body }: Answer<Json>): string {
  return status < 400 ? String(status) : `${status} ${body.error.code}`;
}

describe('Every route', () => {
  it('has a line in the table of who may call it', async () => {
    expect((await documentedRoutes(await createCaller())).map(({ name }) => name).sort()).toEqual(
      Object.keys(ACCESS).sort(),
    );
  });

  it('rejects a request without a live key and says only of its form what is wrong with the key', async () => {
    const keys = Object.entries(await deadKeys());
    for (const { name, send } of (await documentedRoutes(await createCaller())).filter(({ isPublic }) => !isPublic)) {
      const answers = await Promise.all(keys.map(async ([kind, key]) => ({ kind, ...(await send(key)) })));
      for (const { kind, status, body, headers } of answers) {
        expect([name, kind, status]).toEqual([name, kind, 401]);
        expect(headers.get('www-authenticate')).toBe('Bearer');
        if (['mistyped', 'unknown', 'revoked', 'expired'].includes(kind))
          expect(body.error.message).toBe('This key does not exist, was revoked or has expired.');
      }
    }
  });

  it('answers another user and the admin as the table says', async () => {
    const otherUser = await createCaller();
    // The operator's steps end their key, so each has a separate owner.
    for (const [name, access] of Object.entries(ACCESS)) {
      const route = (await documentedRoutes(await createCaller())).find((one) => one.name === name);
      expect({
        name,
        otherUser: outcome(await (route as Route).send(otherUser.key)),
        operator: outcome(await (route as Route).send(TEST_SECRETS.ADMIN_API_KEY)),
      }).toEqual({ name, ...access });
    }
  });

  it('needs, for users, a scope that the document names, and rejects a key without it', async () => {
    const caller = await createCaller();
    const document: Json = (await new Api(undefined).get('/docs-json')).body;
    const users = (await documentedRoutes(caller)).filter(
      ({ name, isPublic }) => !name.includes('/admin/') && name !== ANY_SCOPE && !isPublic,
    );
    const named = Object.entries(document.paths as Record<string, object>)
      .filter(([path]) => !path.includes('/admin/') && `GET ${path}` !== ANY_SCOPE)
      .flatMap(([, operations]) =>
        Object.values(operations as Record<string, Json>)
          .filter(({ security }) => !isPublic(security))
          .map((operation) => [
            operation['x-required-scope'] as string,
            ...((operation['x-further-required-scopes'] as string[] | undefined) ?? []),
          ]),
      );
    expect(named.flat().filter((scope) => !SCOPES.includes(scope))).toEqual([]);
    for (const [index, { name, send }] of users.entries()) {
      for (const scope of named[index] ?? []) {
        await operator().patch(`/api/v1/admin/keys/${caller.keyId}`, {
          scopes: SCOPES.filter((other) => other !== scope),
        });
        const { status, body } = await send(caller.key);
        expect([name, status]).toEqual([name, 403]);
        expect(body.error).toMatchObject({ code: 'insufficient_scope', details: { required_scope: scope } });
      }
    }
  });

  it('answers without a key when it is public', async () => {
    for (const route of OPEN) {
      const [method, path] = route.split(' ') as [string, string];
      expect((await new Api(undefined).call(method, path)).status).toBe(200);
    }
  });

  it('answers 404 in the one error format when it does not exist, with or without a key', async () => {
    const caller = await createCaller();
    for (const api of [caller, new Api(undefined)]) {
      for (const path of [
        '/nothing',
        '/api/v1',
        '/api/v1/nothing',
        '/api/v2/models',
        '/%zz',
        '/api/v1/evals/%E0%A4%A',
      ]) {
        const { status, body } = await api.get(path);
        expect([path, status]).toEqual([path, path.includes('/evals/') && api.key === undefined ? status : 404]);
        expect(Object.keys(body.error)).toEqual(expect.arrayContaining(['code', 'message', 'request_id']));
      }
    }
  });
});
