import { Pages } from './pages';
import type { CallOptions, Transport } from './transport';
import type { Dataset, DatasetPage, DatasetQuery, DatasetRow, DatasetRowPage, DatasetRowQuery, DatasetRowsRequest, NewDatasetQuery } from './types';

/** A file of rows. In Node `fs.openAsBlob()` reads it from the disk while it is sent. */
export interface DatasetFile {
  type: 'application/x-ndjson' | 'text/csv';
  content: Blob | string;
}

/** Data sets: the rows of experiments. */
export class Datasets {
  constructor(private readonly transport: Transport) {}

  /** Stores rows, and returns the existing data set if there is one of the same name and content. @throws InvalidRequestError whose details have the faults of rows */
  create(rows: DatasetRowsRequest | DatasetFile, query: NewDatasetQuery = {}, options?: CallOptions): Promise<Dataset> {
    const body = 'content' in rows ? { content: rows.content, headers: { 'content-type': rows.type } } : { body: rows };
    return this.transport.json({ ...options, method: 'POST', path: '/api/v1/datasets', query, ...body, isRepeatable: true });
  }

  /** The data sets there are, newest first. */
  list(query: DatasetQuery = {}, options?: CallOptions): Pages<DatasetPage, Dataset> {
    return new Pages(this.transport, { ...options, method: 'GET', path: '/api/v1/datasets', query }, 'datasets');
  }

  /** A data set without its rows. @throws InvalidRequestError not_found */
  get(datasetId: string, options?: CallOptions): Promise<Dataset> {
    return this.transport.json({ ...options, method: 'GET', path: pathOf(datasetId) });
  }

  /** The rows of a data set, in the order in which experiments take them. @throws InvalidRequestError not_found */
  rows(datasetId: string, query: DatasetRowQuery = {}, options?: CallOptions): Pages<DatasetRowPage, DatasetRow> {
    return new Pages(this.transport, { ...options, method: 'GET', path: `${pathOf(datasetId)}/rows`, query }, 'rows');
  }

  /** Deletes a data set. @throws InvalidRequestError not_found, conflict while an experiment uses it */
  delete(datasetId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: pathOf(datasetId) });
  }
}

function pathOf(datasetId: string): string {
  return `/api/v1/datasets/${encodeURIComponent(datasetId)}`;
}
