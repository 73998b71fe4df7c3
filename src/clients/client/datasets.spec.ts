import { ModelComparison } from './client';
import type { DatasetOptions, DatasetSource } from './types';

const TEXT = 'input\nhé\n';
const bytes = (text: string) => new TextEncoder().encode(text);

/** The requests that the service received for a source, after `failures` connections that broke. */
async function received(source: DatasetSource, options: DatasetOptions = {}, failures = 0) {
  const requests: { url: string; type: string | null; text: string }[] = [];
  const mcs = new ModelComparison({
    baseUrl: 'http://service.test',
    apiKey: 'mcs_key',
    fetch: async (url, init) => {
      requests.push({
        url: (url as string).slice('http://service.test'.length),
        type: new Headers(init?.headers).get('content-type'),
        text: await new Response(init?.body).text(),
      });
      if (requests.length <= failures) throw new TypeError('fetch failed');
      return new Response('{"dataset_id":"ds_1"}', { headers: { 'content-type': 'application/json' } });
    },
  });
  expect(await mcs.datasets.create(source, options)).toEqual({ dataset_id: 'ds_1' });
  return requests;
}

async function* pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  // In the middle of a character.
  yield bytes(TEXT).slice(0, 8);
  yield bytes(TEXT).slice(8);
}

const SOURCES: Record<string, () => DatasetSource> = {
  text: () => TEXT,
  bytes: () => bytes(TEXT),
  'a Blob': () => new Blob([TEXT]),
  'a stream': () => new Blob([TEXT]).stream(),
  'an iterable': pieces,
};

describe('A new data set', () => {
  it.each(Object.entries(SOURCES))('is sent from %s, and again after a lost connection', async (_name, source) => {
    const sent = { url: '/api/v1/datasets?name=n&expected=answer', type: 'text/csv', text: TEXT };
    expect(await received(source(), { name: 'n', expected: 'answer', format: 'csv' }, 1)).toEqual([sent, sent]);
  });

  it.each<[string, DatasetSource, DatasetOptions]>([
    ['application/x-ndjson', '{}', {}],
    ['application/x-ndjson', '{}', { name: 'rows.jsonl' }],
    ['text/csv', TEXT, { name: 'ROWS.CSV' }],
    ['application/json', '{}', { name: 'rows.json' }],
    ['text/csv', new File([TEXT], 'rows.csv'), { name: 'tickets' }],
    ['application/x-ndjson', new File(['{}'], 'rows.csv'), { format: 'jsonl' }],
    ['application/json', [{ input: 'x' }], {}],
  ])('has the type %s', async (type, source, options) => {
    expect((await received(source, options)).map((request) => request.type)).toEqual([type]);
  });

  it('can be an array of rows', async () => {
    expect((await received([{ input: 'é' }]))[0]?.text).toBe('{"rows":[{"input":"é"}]}');
  });
});
