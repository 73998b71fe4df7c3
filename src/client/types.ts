import type { In, MoneyFormat } from './amounts';
import type * as Api from './api.gen';

export type { AnyErrorCode, ClientErrorCode, CompareFailure } from './errors';
export type { Exact, In, MoneyFormat } from './amounts';
export type { CallOptions, ClientOptions, IncludeOptions } from './transport';
export type { CompareRequest, ErrorCode, Scope } from './api.gen';

/** A stored comparison with its results. */
export type Eval<Format extends MoneyFormat = 'text'> = In<Format, Api.EvalsGetResponse>;
/** The answer of one model. */
export type Result<Format extends MoneyFormat = 'text'> = Eval<Format>['results'][number];
/** The answer of one model while the others still write: all but what only the stored eval knows. */
export type RunResult<Format extends MoneyFormat = 'text'> = In<Format, Api.RunResult>;
/** A stored comparison in a list. */
export type EvalSummary<Format extends MoneyFormat = 'text'> = EvalPage<Format>['evals'][number];
/** One page of stored comparisons. */
export type EvalPage<Format extends MoneyFormat = 'text'> = In<Format, Api.EvalsListResponse>;
/** What a compare would cost. */
export type Estimate<Format extends MoneyFormat = 'text'> = In<Format, Api.CompareEstimateResponse>;
/** A model that can be called now. */
export type Model<Format extends MoneyFormat = 'text'> = In<Format, Api.ModelsListResponse>['models'][number];
/** The usage record of a month. */
export type Usage<Format extends MoneyFormat = 'text'> = In<Format, Api.UsageGetResponse>;
/** Every charge and correction of a month. */
export type Statement<Format extends MoneyFormat = 'text'> = In<Format, Extract<Api.UsageStatementResponse, object>>;
/** A month by model, day or key. */
export type Breakdown<Format extends MoneyFormat = 'text'> = In<Format, Api.UsageBreakdownResponse>;
/** What the key in use may do, and what is left of its limits. */
export type KeyInUse<Format extends MoneyFormat = 'text'> = In<Format, Api.KeyGetResponse>;
/** An event of a running compare: a union by `event`. */
export type CompareEvent<Format extends MoneyFormat = 'text'> = In<Format, Api.CompareEvent>;

/** Which past evals to list. */
export type EvalQuery = Omit<NonNullable<Api.EvalsListData['query']>, 'include'>;
/** Which month. */
export type MonthQuery = NonNullable<Api.UsageGetData['query']>;
/** Which month, and by what. */
export type BreakdownQuery = NonNullable<Api.UsageBreakdownData['query']>;
