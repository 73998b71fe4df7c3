import type { MoneyFormat } from './amounts';
import { newIdempotencyKey } from './compare-call';
import { ConnectionError } from './errors';
import { Pages } from './pages';
import { poll } from './polling';
import type { CallOptions, Transport } from './transport';
import type {
  Ballot,
  BallotQuery,
  Decision,
  DecisionRequest,
  Experiment,
  ExperimentChange,
  ExperimentComparison,
  ExperimentComparisonQuery,
  ExperimentErasure,
  ExperimentEstimate,
  ExperimentEstimateRequest,
  ExperimentPage,
  ExperimentQuery,
  ExperimentRequest,
  ExperimentRow,
  ExperimentRowPage,
  ExperimentRowQuery,
  ExperimentSummary,
  JudgeRequest,
  JudgingRequest,
  ReportQuery,
  Vote,
  VoteRequest,
} from './types';

const EXPERIMENTS = '/api/v1/experiments';
/** The service answers earlier if anything changes. */
const WAIT_SECONDS = 20;
const MAX_PAUSE_MS = 1000;
/** A wait of hours outlasts a restart of the service. */
const RETRIES_OF_WAIT = 10;

/** Options of a wait for the end of an experiment. */
export interface WaitOptions<Format extends MoneyFormat = 'text'> extends CallOptions {
  /** Called with the first state, and whenever it has changed. */
  onProgress?: ((experiment: Experiment<Format>) => void) | undefined;
}

/** Experiments: one prompt for the rows of a data set on several models, under a cap of cost. */
export class Experiments<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  /** Starts an experiment, once, also if it is sent again. @throws InvalidRequestError, PaymentError */
  create(
    body: ExperimentRequest | JudgingRequest,
    { idempotencyKey = newIdempotencyKey(), ...options }: CallOptions & { idempotencyKey?: string | undefined } = {},
  ): Promise<Experiment<Format>> {
    return this.transport.json({
      ...options,
      method: 'POST',
      path: EXPERIMENTS,
      body,
      headers: { 'idempotency-key': idempotencyKey },
      isRepeatable: true,
    });
  }

  /**
   * Starts judges of the answers of an ended experiment. @throws InvalidRequestError, PaymentError
   * @param of the experiment whose answers are judged
   */
  judge(
    of: string,
    { maxCostUsd, name, parallel, ...judge }: JudgeRequest,
    options?: CallOptions & { idempotencyKey?: string | undefined },
  ): Promise<Experiment<Format>> {
    return this.create({ judge: { of, ...judge }, max_cost_usd: maxCostUsd, name, parallel }, options);
  }

  /** The next thing to vote on after `skip` others, without the names of models. @throws InvalidRequestError not_found */
  ballot(experimentId: string, { skip, ...options }: CallOptions & BallotQuery = {}): Promise<Ballot> {
    return this.transport.json({ ...options, path: `${pathOf(experimentId)}/ballot`, query: { skip } });
  }

  /** Votes on a ballot; a later vote on the same answers takes its place. @throws InvalidRequestError */
  vote(experimentId: string, body: VoteRequest, options?: CallOptions): Promise<Vote> {
    return this.transport.json({ ...options, method: 'POST', path: `${pathOf(experimentId)}/votes`, body });
  }

  /** Estimates the cost of an experiment, also of judges. Calls no vendor and charges nothing. */
  estimate(body: ExperimentEstimateRequest, options?: CallOptions): Promise<ExperimentEstimate<Format>> {
    return this.transport.json({
      ...options,
      method: 'POST',
      path: `${EXPERIMENTS}/estimate`,
      body,
      isRepeatable: true,
    });
  }

  /** Newest first. */
  list(query: ExperimentQuery = {}, options?: CallOptions): Pages<ExperimentPage<Format>, Experiment<Format>> {
    return new Pages(this.transport, { ...options, path: EXPERIMENTS, query }, 'experiments');
  }

  /** How far an experiment is. @throws InvalidRequestError not_found */
  get(experimentId: string, options?: CallOptions): Promise<Experiment<Format>> {
    return this.transport.json({ ...options, path: pathOf(experimentId) });
  }

  /**
   * Waits until an experiment no longer runs: it has finished, or was paused or canceled. Stopping to wait does not
   * stop it. @throws InvalidRequestError not_found
   */
  async wait(
    experimentId: string,
    { onProgress, maxRetries = RETRIES_OF_WAIT, ...options }: WaitOptions<Format> = {},
  ): Promise<Experiment<Format>> {
    let etag: string | null = null;
    const look = async (): Promise<Experiment<Format> | undefined> => {
      const headers: Record<string, string> =
        etag === null ? {} : { 'if-none-match': etag, prefer: `wait=${WAIT_SECONDS}` };
      const latest = await this.transport.send(
        { ...options, maxRetries, path: pathOf(experimentId), headers },
        async (response) => {
          if (response.status === 304) return undefined;
          etag = response.headers.get('etag');
          return await this.transport.readJson<Experiment<Format>>(response);
        },
      );
      if (latest !== undefined) onProgress?.(latest);
      return latest?.state === 'running' ? undefined : latest;
    };
    return await poll(look, { signal: options.signal, maxPauseMs: MAX_PAUSE_MS });
  }

  /** Changes state and cap, or retries rows; all of it or nothing. @throws InvalidRequestError not_found, conflict */
  change(experimentId: string, body: ExperimentChange, options?: CallOptions): Promise<Experiment<Format>> {
    return this.transport.json({ ...options, method: 'PATCH', path: pathOf(experimentId), body });
  }

  /** Begins no further row. Rows that run end and are charged. @throws InvalidRequestError not_found, conflict */
  pause(experimentId: string, options?: CallOptions): Promise<Experiment<Format>> {
    return this.change(experimentId, { state: 'paused' }, options);
  }

  /**
   * Goes on, under another cap if one is given; after `cap_reached` it has to be higher. @throws InvalidRequestError
   * not_found, conflict
   */
  resume(
    experimentId: string,
    { maxCostUsd, ...options }: CallOptions & { maxCostUsd?: number | undefined } = {},
  ): Promise<Experiment<Format>> {
    return this.change(
      experimentId,
      { state: 'running', ...(maxCostUsd !== undefined && { max_cost_usd: maxCostUsd }) },
      options,
    );
  }

  /** Ends an experiment for good. Rows that run end and are charged. @throws InvalidRequestError not_found, conflict */
  cancel(experimentId: string, options?: CallOptions): Promise<Experiment<Format>> {
    // eslint-disable-next-line local/plain-words -- the word of the interface
    return this.change(experimentId, { state: 'cancelled' }, options);
  }

  /**
   * Runs rows again in which no model answered, or with `missing` also asks the models that gave no answer in other
   * rows. @throws InvalidRequestError not_found, conflict
   */
  retry(
    experimentId: string,
    which: 'failed' | 'missing' = 'failed',
    options?: CallOptions,
  ): Promise<Experiment<Format>> {
    return this.change(experimentId, { retry: which }, options);
  }

  /** Its rows with the answers, in the drawn order. @throws InvalidRequestError not_found */
  rows(
    experimentId: string,
    query: ExperimentRowQuery = {},
    options?: CallOptions,
  ): Pages<ExperimentRowPage<Format>, ExperimentRow<Format>> {
    return new Pages(this.transport, { ...options, path: `${pathOf(experimentId)}/rows`, query }, 'rows');
  }

  /**
   * All rows as a file, piece by piece: JSONL with one row a line, or CSV with one answer a line. @throws
   * ConnectionError connection_lost if the file is not complete
   */
  async *rowsFile(
    experimentId: string,
    format: 'jsonl' | 'csv',
    query: ExperimentRowQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<string, void, undefined> {
    const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const { body } = await this.transport.send(
      { ...options, path: `${pathOf(experimentId)}/rows`, query, headers: { accept } },
      async (response) => response,
    );
    if (body === null) return;
    try {
      yield* textOf(body);
    } catch (cause) {
      options?.signal?.throwIfAborted();
      throw new ConnectionError('The connection broke before the end of the rows.', { code: 'connection_lost', cause });
    }
  }

  /**
   * The figures of each model and each pair of models, with intervals and in words, and the model to take at that
   * tolerance, 0.02 by default. @throws InvalidRequestError not_found
   */
  summary(
    experimentId: string,
    { tolerance, ...options }: CallOptions & { tolerance?: number | undefined } = {},
  ): Promise<ExperimentSummary<Format>> {
    return this.transport.json({ ...options, path: `${pathOf(experimentId)}/summary`, query: { tolerance } });
  }

  /** The report in Markdown. @throws InvalidRequestError not_found */
  report(experimentId: string, { texts, ...query }: ReportQuery = {}, options?: CallOptions): Promise<string> {
    return this.transport.send(
      {
        ...options,
        path: `${pathOf(experimentId)}/report`,
        query: { ...query, ...(texts !== undefined && { texts: String(texts) }) },
        headers: { accept: 'text/markdown' },
      },
      (response) => response.text(),
    );
  }

  /** Keeps what is decided, in place of an earlier decision. @throws InvalidRequestError not_found, conflict */
  decide(experimentId: string, body: DecisionRequest, options?: CallOptions): Promise<Decision> {
    return this.transport.json({ ...options, method: 'PUT', path: `${pathOf(experimentId)}/decision`, body });
  }

  /** Takes the decision back. @throws InvalidRequestError not_found, conflict */
  undecide(experimentId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: `${pathOf(experimentId)}/decision` });
  }

  /**
   * Compares it with an earlier experiment row by row. @throws InvalidRequestError not_found; not_comparable without a
   * common row
   */
  comparison(
    experimentId: string,
    query: ExperimentComparisonQuery,
    options?: CallOptions,
  ): Promise<ExperimentComparison<Format>> {
    return this.transport.json({ ...options, path: `${pathOf(experimentId)}/comparison`, query });
  }

  /**
   * Deletes its texts for good, in the background; charges, figures and summary stay. @throws InvalidRequestError
   * not_found, conflict
   */
  erase(experimentId: string, options?: CallOptions): Promise<ExperimentErasure> {
    return this.transport.json({ ...options, method: 'DELETE', path: pathOf(experimentId) });
  }
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const [reader, utf8] = [body.getReader(), new TextDecoder()];
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      yield utf8.decode(chunk.value, { stream: true });
  } finally {
    // For a reader who leaves early.
    reader.cancel().catch(() => undefined);
  }
}

function pathOf(experimentId: string): string {
  return `${EXPERIMENTS}/${encodeURIComponent(experimentId)}`;
}
