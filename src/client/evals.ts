import type { MoneyFormat } from './amounts';
import { Pages } from './pages';
import { withInclude, type CallOptions, type IncludeOptions, type Transport } from './transport';
import type { Eval, EvalPage, EvalQuery, EvalSummary } from './types';

const EVALS = '/api/v1/evals';

/** Past evals of the key's user. */
export class Evals<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  /** Newest first: `for await` gives one line after the other, `pages()` whole pages; `q` is a part of the prompt. */
  list({ details, ...query }: EvalQuery & { details?: boolean } = {}, options?: CallOptions): Pages<EvalPage<Format>, EvalSummary<Format>> {
    return new Pages(this.transport, { ...options, method: 'GET', path: EVALS, query: { ...query, ...withInclude({ details }) } }, 'evals');
  }

  /** One eval with its results. @throws InvalidRequestError not_found */
  get(evalId: string, options: CallOptions & IncludeOptions = {}): Promise<Eval<Format>> {
    return this.transport.json({ ...options, method: 'GET', path: `${EVALS}/${encodeURIComponent(evalId)}`, query: withInclude(options) });
  }

  /** Deletes prompt, input and outputs for good; what was charged stays on record. @throws InvalidRequestError not_found */
  erase(evalId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: `${EVALS}/${encodeURIComponent(evalId)}` });
  }
}
