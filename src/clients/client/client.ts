import { Admin } from './admin';
import type { MoneyFormat } from './amounts';
import type * as Api from './api.gen';
import { COMPARE, compareCall, type CompareOptions } from './compare-call';
import { Datasets } from './datasets';
import { Evals } from './evals';
import { Experiments } from './experiments';
import { openStream } from './open-stream';
import { CompareRun } from './run';
import { Runs } from './runs';
import { Shares } from './shares';
import { requestIdOf, Transport, withInclude, withRequestId, type CallOptions, type ClientOptions } from './transport';
import type {
  ChecksAnswer,
  ChecksRequest,
  CompareEvent,
  CompareRequest,
  ImportedExperiment,
  ImportOptions,
  KeyInUse,
  Estimate,
  Eval,
  Model,
  Preferences,
  PreferencesQuery,
} from './types';
import { UsageReports } from './usage';

export type { CompareOptions, RerunOptions } from './compare-call';
export * from './errors';
export type { WaitOptions } from './experiments';
export { Pages } from './pages';
export { CompareRun, type TextPiece } from './run';
export { requestIdOf } from './transport';
export type * from './types';

/**
 * A client of the Model Comparison Service. Every method rejects with a `CompareError`, or with the reason of an
 * aborted signal.
 */
export class ModelComparison<Format extends MoneyFormat = 'text'> {
  readonly evals: Evals<Format>;
  readonly runs: Runs<Format>;
  readonly datasets: Datasets;
  readonly experiments: Experiments<Format>;
  readonly shares: Shares<Format>;
  readonly usage: UsageReports<Format>;
  readonly billing: { addPaymentMethod(options?: CallOptions): Promise<Api.BillingAddPaymentMethodResponse> };
  /** For the operator's key only. */
  readonly admin: Admin<Format>;
  private readonly transport: Transport;

  /** @throws CompareError where the address or the key is missing or unusable */
  constructor(options: ClientOptions<Format> = {}) {
    this.transport = new Transport(options);
    this.evals = new Evals(this.transport);
    this.runs = new Runs(this.transport);
    this.datasets = new Datasets(this.transport);
    this.experiments = new Experiments(this.transport);
    this.shares = new Shares(this.transport);
    this.usage = new UsageReports(this.transport);
    this.admin = new Admin(this.transport);
    this.billing = {
      addPaymentMethod: (call) =>
        this.transport.json({ ...call, method: 'POST', path: '/api/v1/billing/payment-method' }),
    };
  }

  /**
   * Compares models on one prompt and answers with the stored eval. Models fail individually: a failed one has an
   * `error`.
   */
  compare(body: CompareRequest, options: CompareOptions = {}): Promise<Eval<Format>> {
    return this.transport.json(compareCall(body, options, 'application/json'));
  }

  /** The same compare to watch: `for await` gives its events, `eval()` its eval. Nothing is sent before one of them. */
  stream(body: CompareRequest, options: CompareOptions = {}): CompareRun<CompareEvent<Format>, Eval<Format>> {
    const call = compareCall(body, options, 'text/event-stream');
    return new CompareRun({
      open: () => this.transport.send(call, (response, stop) => openStream(response, stop, this.transport.money)),
      get: (evalId) => this.evals.get(evalId, options),
      replay: () => this.transport.json({ ...call, headers: { ...call.headers, accept: 'application/json' } }),
      signal: options.signal,
      isStored: body.options?.store !== false,
    });
  }

  /**
   * Estimates the minimum and maximum cost of a compare, with `background` within the limits of `runs.start`. Calls no
   * vendor and charges nothing.
   */
  estimate(
    body: CompareRequest,
    { background, ...options }: CallOptions & { background?: boolean | undefined } = {},
  ): Promise<Estimate<Format>> {
    return this.transport.json({
      ...options,
      method: 'POST',
      path: `${COMPARE}/estimate`,
      body,
      isRepeatable: true,
      headers: background === true ? { prefer: 'respond-async' } : {},
    });
  }

  /** Runs checks on a text. Calls no model and stores nothing. */
  check(body: ChecksRequest, options?: CallOptions): Promise<ChecksAnswer> {
    return this.transport.json({ ...options, method: 'POST', path: '/api/v1/checks', body, isRepeatable: true });
  }

  /** The models that can be called now, with their prices; with details also limits, rates and price history. */
  async models({ details, ...options }: CallOptions & { details?: boolean } = {}): Promise<Model<Format>[]> {
    const list = await this.transport.json<{ models: Model<Format>[] }>({
      ...options,
      path: '/api/v1/models',
      query: withInclude({ details }),
    });
    return withRequestId(list.models, requestIdOf(list));
  }

  /** Counts which models were preferred, over all keys of the user: by pair and by model, with intervals. */
  preferences({ models, since }: PreferencesQuery = {}, options?: CallOptions): Promise<Preferences> {
    return this.transport.json({
      ...options,
      path: '/api/v1/preferences',
      query: { models: models?.join(), since },
    });
  }

  /** Returns the key in use, its scopes, and what is left of its limits. */
  key(options?: CallOptions): Promise<KeyInUse<Format>> {
    return this.transport.json({ ...options, path: '/api/v1/key' });
  }
}

/**
 * Converts a configuration of promptfoo, or an export of OpenAI Evals. Sends nothing.
 * @throws CompareError invalid_import for a file that cannot be read or is none of these
 */
export async function importExperiment(text: string, options: ImportOptions = {}): Promise<ImportedExperiment> {
  return (await import('./import/convert.js')).convertExport(text, options);
}
