import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, withQuotedAmounts } from './amounts';
import { ModelComparison, type CompareRequest, type ExperimentRequest } from './client';
import { errorFromBody } from './errors';
import { Retries } from './retries';
import { Transport } from './transport';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the vectors have many shapes
type Json = any;
const vectors = (name: string): Json[] =>
  JSON.parse(readFileSync(join(__dirname, `../../../test/fixtures/client-vectors/${name}.json`), 'utf8')) as Json[];

function withAmounts(value: Json): Json {
  if (Array.isArray(value)) return value.map(withAmounts);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.amount === 'string') return value.amount;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withAmounts(each)]));
}

function client(answer: () => Response, requests: Request[] = []) {
  return new ModelComparison({
    baseUrl: 'http://service.test',
    apiKey: 'mcs_key',
    maxRetries: 0,
    fetch: async (url, init) => {
      requests.push(new Request(url, init));
      return answer();
    },
  });
}

const CALLS: Record<string, (mcs: ModelComparison, call: Json) => Promise<unknown>> = {
  compare: (mcs, { body, include = [], idempotencyKey }) =>
    mcs.compare(body as CompareRequest, {
      idempotencyKey,
      ...Object.fromEntries(include.map((name: string) => [name, true])),
    }),
  stream: (mcs, { body, idempotencyKey }) => mcs.stream(body as CompareRequest, { idempotencyKey }).eval(),
  estimate: (mcs, { body }) => mcs.estimate(body as CompareRequest),
  models: (mcs, { details }) => mcs.models({ details }),
  usage: (mcs, { month }) => mcs.usage.get({ month }),
  'evals.get': (mcs, { id }) => mcs.evals.get(id as string, { details: true }),
  'evals.list': (mcs, { query }) => mcs.evals.list(query as object).open(),
  'datasets.list': (mcs, { query }) => mcs.datasets.list(query as object).open(),
  'experiments.run': (mcs, { body, idempotencyKey }) =>
    mcs.experiments.create(body as ExperimentRequest, { idempotencyKey }),
  'experiments.summary': (mcs, { id, query }) => mcs.experiments.summary(id as string, query as object),
  'experiments.report': (mcs, { id, query }) => mcs.experiments.report(id as string, query as object),
  'experiments.decide': (mcs, { id, body }) => mcs.experiments.decide(id as string, body as { model: string }),
};

it.each(vectors('requests'))('$name is sent alike by every client', async (vector) => {
  const requests: Request[] = [];
  const mcs = client(() => new Response('{}'), requests);
  await CALLS[vector.call.of]?.(mcs, vector.call).catch(() => undefined);
  const request = requests[0] as Request;
  const { pathname, searchParams } = new URL(request.url);
  expect([request.method, pathname]).toEqual([vector.method, vector.path]);
  expect(Object.fromEntries(searchParams)).toEqual(vector.query);
  expect(Object.fromEntries(request.headers)).toMatchObject(vector.headers);
  // JavaScript writes the smallest numbers with an exponent.
  expect(await request.text()).toBe((vector.body ?? '').replace('0.0000001', '1e-7'));
});

it.each(vectors('answers'))('$text is read with all digits of its amounts', ({ text, expected }) => {
  expect(parseJson(text as string, 'text')).toEqual(withAmounts(expected));
  expect(JSON.parse(withQuotedAmounts(text as string))).toEqual(withAmounts(expected));
});

it.each(vectors('errors'))('$name is an error of its class', async ({ status, headers, body, expected, delay }) => {
  const answer = () => new Response(body as string, { status, headers });
  const transport = new Transport({ baseUrl: 'http://service.test', apiKey: 'mcs_key' });
  const error = status === null ? errorFromBody(JSON.parse(body as string)) : await transport['errorFrom'](answer());
  const { kind, ...members } = expected;
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: kind, ...members });
  const seconds = (new Retries(2, true).nextDelay(error) ?? NaN) / 1000;
  if (delay === null) expect(seconds).toBeNaN();
  else expect([seconds >= delay[0], seconds <= delay[1]]).toEqual([true, true]);
});

it.each(vectors('streams'))('$name, cut anywhere, is the same run', async ({ text, events, eval: stored, error }) => {
  const bytes = new TextEncoder().encode(text as string);
  const cuts = [Array.from(bytes, (byte) => Uint8Array.of(byte))];
  for (let i = 1; i < bytes.length; i += 1) cuts.push([bytes.slice(0, i), bytes.slice(i)]);
  for (const pieces of cuts) {
    const headers = { 'content-type': 'text/event-stream' };
    const run = client(() => new Response(ReadableStream.from(pieces), { headers })).stream({
      prompt: 'p',
      models: [],
    });
    const seen: Json[] = [];
    for await (const event of run) seen.push(event);
    expect(seen).toEqual(withAmounts(events));
    if (error === undefined) expect(await run.eval()).toEqual(withAmounts(stored));
    else await expect(run.eval()).rejects.toMatchObject({ name: error.kind, code: error.code, message: error.message });
  }
});
