import { randomUUID } from 'node:crypto';
import { Api, operator, type Answer, type Json } from '../support/api';
import { Caller, createCaller } from '../support/factories';
import { filledPath } from '../support/things';
import { codeIn, read, rowsOf } from './docs.markdown';

/** Which stored texts an answer holds, in the words of the document. */
type Texts = 'all' | 'own' | 'link' | 'none';

interface Row {
  /** The scopes that a key needs, or words. */
  access: string;
  scopes: readonly string[];
  texts: Texts;
}

const SCOPES = ['compare', 'evals:read', 'usage:read', 'models:read', 'shares', 'experiments', 'experiments:read'];
/** Each scope alone, and each two of them. */
const SCOPE_SETS = SCOPES.flatMap((scope, index) => [
  [scope],
  ...SCOPES.slice(index + 1).map((other) => [scope, other]),
]);

const TABLE: Record<string, Row> = Object.fromEntries(
  rowsOf(read('docs/scopes.md')).flatMap(([route = '', access = '', texts = '']) => {
    const name = codeIn(route)[0];
    return name === undefined ? [] : [[name, { access, scopes: codeIn(access), texts: texts as Texts }]];
  }),
);

/** Every operation of the API document, with the scopes that it names. */
async function documentedScopes(): Promise<Record<string, string[]>> {
  const document: Json = (await new Api(undefined).get('/docs-json')).body;
  return Object.fromEntries(
    Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.entries<Json>(operations as Record<string, Json>).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        [operation['x-required-scope'] ?? [], operation['x-further-required-scopes'] ?? []].flat(),
      ]),
    ),
  );
}

/** Another key of a user, for those scopes. */
async function keyOf(owner: Caller, scopes: string[]): Promise<Caller> {
  const { body } = await operator().post(`/api/v1/admin/users/${owner.userId}/keys`, { name: scopes.join(), scopes });
  return new Caller(body.api_key, owner.userId, owner.email, body.id);
}

/** A route's answer to another key of the user of the eval. */
interface Outcome {
  refusal: string | undefined;
  missing: string | undefined;
  isShown: boolean;
}

function expectedFor({ access, scopes, texts }: Row, held: readonly string[]): Outcome {
  if (access === 'admin key') return { refusal: 'forbidden', missing: undefined, isShown: false };
  const missing = [...scopes, ...(texts === 'own' ? ['evals:read'] : [])].find((scope) => !held.includes(scope));
  return {
    refusal: missing === undefined ? undefined : 'insufficient_scope',
    missing,
    isShown: texts !== 'none' && missing === undefined,
  };
}

function seen({ status, text, body }: Answer<Json>, mark: string): Outcome {
  const { code, details } = status === 403 ? body.error : {};
  return { refusal: code, missing: details?.required_scope, isShown: text.includes(mark) };
}

/** The query that a route requires. */
async function queryOf(path: string, owner: Caller, order: object): Promise<string> {
  if (path.endsWith('/drift')) return `?against=${(await owner.compare(order)).body.eval_id}`;
  return path.endsWith('/{token}/ballot') ? '?voter=Ada' : '';
}

describe('The scopes of a key', () => {
  it('are those of the table for every route of the API document, whose description names them', async () => {
    const documented = await documentedScopes();
    expect(Object.fromEntries(Object.entries(TABLE).map(([route, { scopes }]) => [route, scopes]))).toEqual(documented);
    const { paths }: Json = JSON.parse(read('docs/openapi.json'));
    for (const [route, { scopes }] of Object.entries(TABLE).filter(([, row]) => row.scopes.length > 0)) {
      const [method = '', path = ''] = route.split(' ');
      expect(paths[path][method.toLowerCase()].description).toMatch(
        new RegExp(`\\n\\nRequired scopes?: ${scopes.map((scope) => `\`${scope}\``).join(' and ')}\\.$`),
      );
    }
  });

  it('open stored texts as the table says, on every route, to each scope alone and each two of them', async () => {
    const owner = await createCaller();
    const [mark, key] = [`MARK${randomUUID()}`, randomUUID()];
    const order = {
      prompt: `${mark} [[sim:say=${mark}]] {input}`,
      input: mark,
      models: ['sim-swift', 'sim-quill'],
      checks: [{ type: 'contains', values: [mark] }],
    };
    const { eval_id: evalId } = (await owner.compare(order, { headers: { 'idempotency-key': key } })).body;
    const bodies: Record<string, object> = {
      'POST /api/v1/compare': order,
      'POST /api/v1/compare/estimate': { prompt: 'Hello', models: ['sim-swift'] },
      'POST /api/v1/checks': { checks: [{ type: 'finished' }], output: 'Hello' },
      'POST /api/v1/shares': { subject: evalId },
    };
    for (const route of Object.keys(TABLE).filter((name) => name.startsWith('GET /api/v1/admin/')))
      expect([
        route,
        (await operator().get(await filledPath(route.slice(4), owner, evalId))).text.includes(mark),
      ]).toEqual([route, false]);
    const keys = await Promise.all(SCOPE_SETS.map(async (scopes) => ({ scopes, caller: await keyOf(owner, scopes) })));
    // Erasing comes last.
    const routes = Object.entries(TABLE).toSorted(
      ([left], [right]) => Number(left.startsWith('DELETE')) - Number(right.startsWith('DELETE')),
    );
    for (const [route, { access, scopes, texts }] of routes) {
      const [method = '', path = ''] = route.split(' ');
      const filled = (await filledPath(path, owner, evalId)) + (await queryOf(path, owner, order));
      const body = ['GET', 'DELETE'].includes(method) ? undefined : (bodies[route] ?? {});
      const headers: Record<string, string> = texts === 'own' ? { 'idempotency-key': key } : {};
      for (const { scopes: held, caller } of keys) {
        const answer = await caller.call(method, filled, body, { headers });
        expect({ route, held, ...seen(answer, mark) }).toEqual({
          route,
          held,
          ...expectedFor({ access, scopes, texts }, held),
        });
      }
    }
  });
});
