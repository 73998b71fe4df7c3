import { SAMPLE_LIMITS } from '../compare/sample-limits';
import { marked, markedAnswers, tableOf, textAt } from './answer-text';
import type { Rest, RestAnswer } from './rest';
import { TOOLS, type Tool } from './tools';

type Given = Record<string, unknown>;

/** A call of a tool. */
export interface Call {
  tool: Tool;
  given: Given;
  rest: Rest;
  /** The address of this service, for people. */
  origin: string;
  /** The most that the call may cost if it names no maximum. */
  ceilingUsd: number;
  /** By which a call that is sent again is known. */
  idempotencyKey: string;
}

const ASYNC = { prefer: 'respond-async' };
const RUN = ['run_id', 'status', 'error.message'];
/** Sentences about members of answers: `#` is the value, `@` the address of the service. */
const NOTES = Object.entries({
  'cost_usd.most': 'At most # USD in all.',
  run_id: 'Ask get_eval with #.',
  eval_id: '#: @/evals/#',
  experiment_id: '#: @/experiments/#',
});

/** Calls a tool. An error of the API is a result that says so. */
export async function callTool(call: Call) {
  const { tool, given, rest } = call;
  if (tool === TOOLS['compare']) return compare(call);
  if (tool === TOOLS['start_experiment']) return startExperiment(call);
  if (tool.operation.startsWith('POST')) return resultOf(call, await rest(tool.operation, given, ASYNC));
  const { id, ...query } = given;
  if (tool.operation.includes('{id}') && !(typeof id === 'string' && /^\w+$/.test(id)))
    return said('`id` must be an id.', true);
  const search = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const read = (of: unknown, operation = `${tool.operation}?${new URLSearchParams(search).toString()}`) =>
    rest(operation.replace('{id}', String(of)));
  if (tool.also === undefined || !String(id).startsWith('run_')) return resultOf(call, await read(id));
  const run = await read(id, tool.also);
  const { status, eval_id: evalId } = run.body as Given;
  return resultOf(call, status === 'succeeded' ? await read(evalId) : run);
}

async function compare(call: Call) {
  const { tool, given, rest, ceilingUsd, idempotencyKey } = call;
  const { max_cost_usd: passed, background, ...body } = given;
  const { max_cost_usd: own, ...options } = (body['options'] ?? {}) as Given;
  const cap = lower(own, passed ?? ceilingUsd);
  const isAsync = background === true || Number(options['samples']) > SAMPLE_LIMITS.samples;
  const answer = await rest(
    body['checks'] === undefined ? tool.operation : `${tool.operation}?include=checks`,
    { ...body, options: { ...options, max_cost_usd: cap } },
    { 'idempotency-key': idempotencyKey, ...(isAsync && ASYNC) },
  );
  if (answer.error?.code !== 'max_cost_exceeded') return resultOf(call, answer);
  const estimate = await rest('POST /api/v1/compare/estimate', { ...body, options }, ASYNC);
  const { models = [] } = estimate.body as { models?: unknown[] };
  const table = tableOf(models, ['model', 'cost_usd.most']);
  return aboveCeiling(textAt(answer.error, 'details.most_cost_usd'), cap, table);
}

/** The lower of two caps; what is no number is for the API to refuse. */
function lower(own: unknown, cap: unknown): unknown {
  return typeof own === 'number' && typeof cap === 'number' ? Math.min(own, cap) : cap;
}

/** Starts an experiment on a data set, or on rows, which do not stay stored if it does not start. */
async function startExperiment(call: Call) {
  const { given, rest } = call;
  const { rows, ...body } = given;
  if (rows === undefined) return begin(call, body);
  if (body['dataset'] !== undefined) return said('Pass `dataset` or `rows`, not both.', true);
  const stored = await rest('POST /api/v1/datasets', { rows });
  if (stored.error !== undefined) return resultOf(call, stored);
  const { dataset_id: dataset } = stored.body as { dataset_id: string };
  const result = await begin(call, { ...body, dataset });
  // 200 says that they were there before.
  if (result.isError && stored.status === 201) await rest(`DELETE /api/v1/datasets/${dataset}`);
  return result;
}

async function begin(call: Call, { max_cost_usd: passed, ...body }: Given) {
  const { tool, rest, ceilingUsd, idempotencyKey } = call;
  const capped = { ...body, max_cost_usd: passed ?? ceilingUsd };
  if (capped.max_cost_usd !== passed) {
    const estimate = await rest('POST /api/v1/experiments/estimate', capped);
    if (estimate.error !== undefined) return resultOf(call, estimate);
    const { most_cost_usd: most, fits_cap: fits } = estimate.body as Given;
    const table = tableOf([estimate.body], ['rows', 'calls', 'likely_cost_usd', 'most_cost_usd']);
    if (fits !== true) return aboveCeiling(most, ceilingUsd, table);
  }
  return resultOf(call, await rest(tool.operation, capped, { 'idempotency-key': idempotencyKey }));
}

function aboveCeiling(most: unknown, ceiling: unknown, estimate: string) {
  const facts = `Nothing ran: this can cost ${String(most)} USD, and the ceiling is ${String(ceiling)} USD.`;
  return said(`${facts} Ask the user; to run it, pass max_cost_usd ${String(most)}.\n\n${estimate}`, true);
}

function resultOf({ tool, origin }: Call, { error, headers, body }: RestAnswer) {
  if (error !== undefined) return refusalOf(error, headers['retry-after']?.toString());
  if (typeof body === 'string') return said(marked('report', body));
  const stored = body as Given & { results?: Parameters<typeof markedAnswers>[0] };
  const moment = textAt(stored, 'meta.created_at') || textAt(stored, 'created_at');
  const replay = `Stored answer of the same call (${moment}); nothing is charged again.`;
  const notes = NOTES.map(([path, note]) => [textAt(stored, path), note] as const)
    .filter(([value]) => value !== '')
    .map(([value, note]) => note.replaceAll('#', value).replace('@', origin));
  const parts = [tableIn(tool, stored), ...notes, ...markedAnswers(stored.results ?? [])];
  const text = (headers['idempotency-replayed'] === 'true' ? [replay, ...parts] : parts).join('\n\n');
  return { ...said(text), structuredContent: stored };
}

function tableIn({ table }: Tool, stored: Given): string {
  const [, list, columns = ''] = /^(?:(\w+): )?(.*)$/.exec(table) ?? [];
  const rows = list === undefined ? [stored] : stored[list];
  // A run has no list.
  return Array.isArray(rows) ? tableOf(rows, columns.split(' ')) : tableOf([stored], RUN);
}

function refusalOf({ code, message, details }: NonNullable<RestAnswer['error']>, wait: string | undefined) {
  const when = wait === undefined ? '' : ` Try again after ${wait} seconds.`;
  // Details may repeat what a vendor said.
  const facts = details === undefined ? '' : `\n\n${marked('details', JSON.stringify(details))}`;
  return said(`${message} (${code})${when}${facts}`, true);
}

function said(text: string, isError = false) {
  return { content: [{ type: 'text' as const, text }], isError };
}
