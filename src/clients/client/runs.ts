import type { MoneyFormat } from './amounts';
import { errorFromBody, ServiceError } from './errors';
import { compareCall, rerunCall, type CompareOptions, type RerunOptions } from './compare-call';
import type { StreamEvent } from './events';
import { openStream } from './open-stream';
import { Pages } from './pages';
import { poll } from './polling';
import { CompareRun } from './run';
import { withInclude, type Call, type CallOptions, type IncludeOptions, type Transport } from './transport';
import type { CompareEvent, CompareRequest, Eval, QueuedRun, Run, RunPage, RunQuery } from './types';

const RUNS = '/api/v1/runs';

/** Background runs: compares that continue without a connection. */
export class Runs<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  /** Queues a compare and answers with its ids; with `wait`, in seconds, with its eval where that is there in time. */
  start(body: CompareRequest, options?: CompareOptions & { wait?: undefined }): Promise<QueuedRun>;
  start(body: CompareRequest, options: CompareOptions & { wait: number }): Promise<Eval<Format> | QueuedRun>;
  start(
    body: CompareRequest,
    { wait, ...options }: CompareOptions & { wait?: number | undefined } = {},
  ): Promise<Eval<Format> | QueuedRun> {
    return this.transport.json(inBackground(compareCall(body, options, 'application/json'), wait));
  }

  /**
   * Queues the compare of an eval once more, and answers with the ids of the run and of the new eval. @throws
   * InvalidRequestError not_found, unknown_model
   */
  rerun(evalId: string, options: RerunOptions = {}): Promise<QueuedRun> {
    return this.transport.json(inBackground(rerunCall(options, `/api/v1/evals/${encodeURIComponent(evalId)}/rerun`)));
  }

  /** Newest first. */
  list(query: RunQuery = {}, options?: CallOptions): Pages<RunPage, Run> {
    return new Pages(this.transport, { ...options, path: RUNS, query }, 'runs');
  }

  /** How far a run is. @throws InvalidRequestError not_found */
  get(runId: string, options?: CallOptions): Promise<Run> {
    return this.transport.json({ ...options, path: `${RUNS}/${encodeURIComponent(runId)}` });
  }

  /**
   * The events of a run from its first one on: of a background run, or by its `eval_id` of a compare that is being
   * streamed. `for await` gives them, `eval()` the eval.
   * A run in another process is asked for until it ends, and gives its `eval` event only. @throws InvalidRequestError
   * not_found, what ended the run
   */
  stream(id: string, options: CallOptions = {}): CompareRun<CompareEvent<Format>, Eval<Format>> {
    return new CompareRun({
      open: () => openRun(this.transport, id, options, () => this.eval(id, options)),
      get: (evalId) => this.transport.json({ ...options, path: `/api/v1/evals/${encodeURIComponent(evalId)}` }),
      replay: () => this.eval(id, options),
      signal: options.signal,
      isStored: true,
    });
  }

  /** Takes a run out of the queue. @throws InvalidRequestError conflict, when it has begun */
  cancel(runId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: `${RUNS}/${encodeURIComponent(runId)}` });
  }

  /**
   * Waits for a run to end, as long as that takes, and gives its eval. @throws what ended the run, or ServiceError
   * run_canceled
   */
  eval(runId: string, options: CallOptions & IncludeOptions = {}): Promise<Eval<Format>> {
    return poll(async () => {
      const {
        status,
        eval_id: evalId,
        error,
      } = await this.get(runId, {
        signal: options.signal,
        maxRetries: options.maxRetries,
        timeoutMs: options.timeoutMs,
      });
      if (status === 'succeeded')
        return await this.transport.json<Eval<Format>>({
          ...options,
          path: `/api/v1/evals/${encodeURIComponent(evalId)}`,
          query: withInclude(options),
        });
      if (status === 'failed') throw errorFromBody({ error });
      // eslint-disable-next-line local/plain-words -- the word of the interface
      if (status === 'cancelled') throw new ServiceError(`The run ${runId} was canceled.`, { code: 'run_canceled' });
      if (status !== 'queued' && status !== 'running')
        throw new ServiceError(`The run ${runId} has a status that this client does not know.`, {
          code: 'unexpected_answer',
        });
      return undefined;
    }, options);
  }
}

function openRun(
  transport: Transport,
  id: string,
  options: CallOptions,
  evalOf: () => Promise<unknown>,
): Promise<AsyncGenerator<StreamEvent, void, undefined>> {
  const call: Call = {
    ...options,
    path: `${RUNS}/${encodeURIComponent(id)}`,
    headers: { accept: 'text/event-stream' },
  };
  return poll(async () => {
    const answer = await transport.send<Run | AsyncGenerator<StreamEvent, void, undefined>>(call, (response, stop) =>
      isJson(response) ? transport.readJson<Run>(response) : openStream(response, stop, transport.money),
    );
    if (!('status' in answer)) return answer;
    return answer.status === 'queued' || answer.status === 'running' ? undefined : onlyEval(evalOf);
  }, options);
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.includes('application/json') === true;
}

async function* onlyEval(evalOf: () => Promise<unknown>): AsyncGenerator<StreamEvent, void, undefined> {
  yield { id: '1', event: 'eval', data: await evalOf() };
}

function inBackground(call: Call, wait?: number): Call {
  return {
    ...call,
    headers: { ...call.headers, prefer: wait === undefined ? 'respond-async' : `respond-async, wait=${wait}` },
  };
}
