import { Pages } from './pages';
import type { CallOptions, Content, Transport } from './transport';
import type {
  CreatedDataset,
  Dataset,
  DatasetFormat,
  DatasetOptions,
  DatasetPage,
  DatasetQuery,
  DatasetRow,
  DatasetRowPage,
  DatasetRowQuery,
  DatasetSource,
} from './types';

const DATASETS = '/api/v1/datasets';
const TYPES: Readonly<Record<DatasetFormat, string>> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};
const EXTENSIONS: readonly [pattern: RegExp, format: DatasetFormat][] = [
  [/\.[ct]sv$/i, 'csv'],
  [/\.json$/i, 'json'],
];

/** Columns that no prompt contains. */
export const NOT_IN_PROMPTS: readonly string[] = ['id', 'expected', 'group', 'history', 'checks'];

/** Rows of inputs for experiments. */
export class Datasets {
  constructor(private readonly transport: Transport) {}

  /**
   * Stores all rows of a file or an array, or none. The same name and content give the existing data set. `notes` says
   * what the service decided on.
   * A stream is read to its end before it is sent, so that it can be sent again. @throws InvalidRequestError whose
   * `details.faults` names lines
   */
  async create(
    source: DatasetSource,
    {
      name,
      input,
      expected,
      group,
      id,
      skip,
      format = formatOf(source, name),
      ...options
    }: DatasetOptions & CallOptions = {},
  ): Promise<CreatedDataset> {
    const content = await contentOf(source);
    return await this.transport.json({
      ...options,
      method: 'POST',
      path: DATASETS,
      query: { name, input, expected, group, id, skip },
      content,
      headers: { 'content-type': TYPES[format] },
      isRepeatable: true,
    });
  }

  /** Newest first. */
  list(query: DatasetQuery = {}, options?: CallOptions): Pages<DatasetPage, Dataset> {
    return new Pages(this.transport, { ...options, path: DATASETS, query }, 'datasets');
  }

  /** A data set without its rows. @throws InvalidRequestError not_found */
  get(datasetId: string, options?: CallOptions): Promise<Dataset> {
    return this.transport.json({ ...options, path: pathOf(datasetId) });
  }

  /** Its rows in the order in which experiments take them. @throws InvalidRequestError not_found */
  rows(datasetId: string, query: DatasetRowQuery = {}, options?: CallOptions): Pages<DatasetRowPage, DatasetRow> {
    return new Pages(this.transport, { ...options, path: `${pathOf(datasetId)}/rows`, query }, 'rows');
  }

  /**
   * Deletes it for good. @throws InvalidRequestError not_found; conflict while an experiment on it is running or paused
   */
  delete(datasetId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: pathOf(datasetId) });
  }
}

function pathOf(datasetId: string): string {
  return `${DATASETS}/${encodeURIComponent(datasetId)}`;
}

/** By the extension of the file or of the name; JSONL by default. */
function formatOf(source: DatasetSource, name = ''): DatasetFormat {
  if (Array.isArray(source)) return 'json';
  const fileName = source instanceof Blob && 'name' in source ? String(source.name) : name;
  return EXTENSIONS.find(([pattern]) => pattern.test(fileName))?.[1] ?? 'jsonl';
}

/** Not every browser can send a stream, and none can send it twice. */
async function contentOf(source: DatasetSource): Promise<Content> {
  if (Array.isArray(source)) return JSON.stringify({ rows: source });
  if (source instanceof ReadableStream) return await new Response(source).blob();
  if (typeof source === 'string' || source instanceof Blob) return source;
  if (source instanceof Uint8Array)
    return source.buffer instanceof ArrayBuffer ? (source as Uint8Array<ArrayBuffer>) : new Uint8Array(source);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of source) chunks.push(new Uint8Array(chunk));
  return new Blob(chunks);
}
