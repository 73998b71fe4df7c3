import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operator, type Answer, type Json } from './api';
import { resolved } from './api-document';
import { createCaller, type Caller } from './factories';
import { ballotFor, filledPath, idFor } from './things';

export const DOCUMENT_FILE = join(__dirname, '../../docs/openapi.json');

/** An operation of the API document. */
export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Json[];
  /** The first example of the body, which Swagger UI fills in. */
  body: Json;
}

/** Differences from the request that Swagger UI sends. */
export interface Execution {
  accept?: string;
  query?: string;
  body?: unknown;
}

/** Every operation of the committed API document. */
export const documentedOperations = Object.entries<Json>(
  resolved(JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8'))).paths,
).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, { operationId, parameters = [], requestBody }]): Operation => {
    const [example] = Object.values<Json>(requestBody?.content['application/json'].examples ?? {});
    return { id: operationId, method: method.toUpperCase(), path, parameters, body: example?.value };
  }),
);

/** The operation of that id. */
export function operationOf(wanted: string): Operation {
  const found = documentedOperations.find(({ id }) => id === wanted);
  if (found === undefined) throw new Error(`The API document has no operation ${wanted}.`);
  return found;
}

/** Executes an operation as Swagger UI would, with the ids of what belongs to a caller, at the caller's service. */
export async function execute(
  operation: Operation,
  caller: Caller,
  evalId: string,
  { accept, query, body: given }: Execution = {},
): Promise<Answer<Json>> {
  const path = await filledPath(operation.path, caller, evalId);
  const body = given ?? (await validBody(operation, path, caller, evalId));
  const as = operation.path.includes('/admin/') ? operator(caller.url) : caller;
  return as.call(
    operation.method,
    path + (query ?? (await filledIn(operation, caller, evalId))),
    body,
    accept === undefined ? {} : { headers: { accept } },
  );
}

/** A new user with one eval, in which one of two models has failed. */
export async function callerWithOneEval(): Promise<{ caller: Caller; evalId: string }> {
  const caller = await createCaller();
  return {
    caller,
    evalId: (
      await caller.compare({ prompt: 'Hello [[sim-sage:fail=content_refused]]', models: ['sim-swift', 'sim-sage'] })
    ).body.eval_id,
  };
}

/** The query that Swagger UI sends without any input: the defaults. */
async function filledIn({ id, parameters }: Operation, caller: Caller, evalId: string): Promise<string> {
  // An eval that is not a rerun needs a named eval to compare with.
  if (id === 'evals_drift') return `?against=${(await caller.post(`/api/v1/evals/${evalId}/rerun`)).body.eval_id}`;
  if (id === 'experiments_comparison') return `?against=${await idFor('experiments', caller, evalId)}`;
  if (id === 'shares_ballot') return '?voter=Ada';
  const query = new URLSearchParams(
    parameters
      .filter(({ in: location, schema }) => location === 'query' && schema.default !== undefined)
      .map(({ name, schema }): [string, string] => [name, String(schema.default)]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

/**
 * The first example, but for a user who does not exist yet, a link to an eval of the caller, and templates that are
 * filled in.
 */
async function validBody({ id, body }: Operation, path: string, caller: Caller, evalId: string): Promise<unknown> {
  if (id === 'admin_createUser') return { email: `${caller.keyId}@example.com` };
  if (body?.dataset !== undefined) return { ...body, dataset: await idFor('datasets', caller, evalId) };
  if (body?.ballot !== undefined) return { ...body, ballot: await ballotFor(path, caller) };
  if (id === 'shares_create') return { ...body, subject: evalId };
  if (id === 'admin_resendMeterEvent') return { not_received: true };
  return id === 'admin_adjust' ? { amount_usd: -1, reason: 'goodwill' } : body;
}
