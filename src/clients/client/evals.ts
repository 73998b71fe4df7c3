import type { MoneyFormat } from './amounts';
import { rerunCall, type RerunOptions } from './compare-call';
import { Pages } from './pages';
import { withInclude, type CallOptions, type IncludeJudgments, type IncludeOptions, type Transport } from './transport';
import type {
  Agreement,
  Annotation,
  AnnotationRequest,
  Drift,
  DriftQuery,
  Eval,
  EvalPage,
  EvalQuery,
  EvalSummary,
  Preference,
  PreferenceRequest,
  Projection,
  ProjectionQuery,
} from './types';

const EVALS = '/api/v1/evals';

/** Past evals of the key's user. */
export class Evals<Format extends MoneyFormat> {
  constructor(private readonly transport: Transport) {}

  /**
   * Newest first: `for await` gives one line after the other, `pages()` whole pages; `q` is a part of the prompt,
   * `starred` asks for those with a star.
   */
  list(
    { details, preference, note, ...query }: EvalQuery & IncludeJudgments & { details?: boolean } = {},
    options?: CallOptions,
  ): Pages<EvalPage<Format>, EvalSummary<Format>> {
    return new Pages(
      this.transport,
      { ...options, path: EVALS, query: { ...query, ...withInclude({ details, preference, note }) } },
      'evals',
    );
  }

  /** One eval with its results. @throws InvalidRequestError not_found */
  get(evalId: string, options: CallOptions & IncludeOptions & IncludeJudgments = {}): Promise<Eval<Format>> {
    return this.transport.json({ ...options, path: pathOf(evalId), query: withInclude(options) });
  }

  /**
   * Deletes prompt, input and outputs for good; what was charged stays on record. @throws InvalidRequestError not_found
   */
  erase(evalId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: pathOf(evalId) });
  }

  /**
   * Keeps which answer is better, in place of an earlier choice of the key: a model that answered, `tie` or
   * `none_good`. @throws InvalidRequestError not_found, invalid_request
   */
  prefer(evalId: string, body: PreferenceRequest, options?: CallOptions): Promise<Preference> {
    return this.transport.json({ ...options, method: 'PUT', path: `${pathOf(evalId)}/preference`, body });
  }

  /** Takes the choice of the key back, if there is one. @throws InvalidRequestError not_found */
  unprefer(evalId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ ...options, method: 'DELETE', path: `${pathOf(evalId)}/preference` });
  }

  /**
   * Changes the note and the star; an absent one is left unchanged, and null removes the note. @throws
   * InvalidRequestError not_found
   */
  annotate(evalId: string, body: AnnotationRequest, options?: CallOptions): Promise<Annotation> {
    return this.transport.json({ ...options, method: 'PATCH', path: pathOf(evalId), body });
  }

  /**
   * Which of its models say the same, over all samples; nothing is called or charged. @throws InvalidRequestError
   * not_found
   */
  agreement(evalId: string, options?: CallOptions): Promise<Agreement> {
    return this.transport.json({ ...options, path: `${pathOf(evalId)}/agreement` });
  }

  /**
   * Projects the monthly cost of its calls, now and after every known change of price. @throws InvalidRequestError
   * not_found
   */
  projection(evalId: string, query: ProjectionQuery = {}, options?: CallOptions): Promise<Projection<Format>> {
    return this.transport.json({ ...options, path: `${pathOf(evalId)}/projection`, query });
  }

  /**
   * Runs the same compare again, as a new eval; the old one is not touched. @throws InvalidRequestError not_found,
   * unknown_model
   */
  rerun(evalId: string, options: RerunOptions = {}): Promise<Eval<Format>> {
    return this.transport.json(rerunCall(options, `${pathOf(evalId)}/rerun`));
  }

  /**
   * Returns what changed against an earlier eval, by default the original of a rerun. Calls and charges nothing.
   * @throws InvalidRequestError not_found
   */
  drift(evalId: string, query: DriftQuery = {}, options?: CallOptions): Promise<Drift<Format>> {
    return this.transport.json({ ...options, path: `${pathOf(evalId)}/drift`, query });
  }
}

function pathOf(evalId: string): string {
  return `${EVALS}/${encodeURIComponent(evalId)}`;
}
