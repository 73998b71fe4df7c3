import type { In, MoneyFormat } from './amounts';
import type * as Api from './api.gen';

export type { AnyErrorCode, ClientErrorCode, CompareFailure } from './errors';
export type { Exact, In, MoneyFormat } from './amounts';
export type { CallOptions, ClientOptions, IncludeJudgments, IncludeOptions } from './transport';
export type { Check, CompareRequest, ErrorCode, ReasoningEffort, Scope, Turn } from './api.gen';

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
/** The estimated cost of a compare. */
export type Estimate<Format extends MoneyFormat = 'text'> = In<Format, Api.CompareEstimateResponse>;
/** A model that can be called now. */
export type Model<Format extends MoneyFormat = 'text'> = In<Format, Api.ModelsListResponse>['models'][number];
/** The usage record of a month. */
export type Usage<Format extends MoneyFormat = 'text'> = In<Format, Api.UsageGetResponse>;
/** Every charge and correction of a month. */
export type Statement<Format extends MoneyFormat = 'text'> = In<Format, Extract<Api.UsageStatementResponse, object>>;
/** A month by model, day or key. */
export type Breakdown<Format extends MoneyFormat = 'text'> = In<Format, Api.UsageBreakdownResponse>;
/** The scopes of the key in use, and what is left of its limits. */
export type KeyInUse<Format extends MoneyFormat = 'text'> = In<Format, Api.KeyGetResponse>;
/** An event of a running compare: a union by `event`. */
export type CompareEvent<Format extends MoneyFormat = 'text'> = In<Format, Api.CompareEvent>;

/** Figures over the samples of an eval. */
export type Statistics<Format extends MoneyFormat = 'text'> = In<Format, NonNullable<Api.Eval['statistics']>>;
/** Which models of an eval say the same. */
export type Agreement = Api.EvalsAgreementResponse;
/** The changes between two evals. */
export type Drift<Format extends MoneyFormat = 'text'> = In<Format, Api.EvalsDriftResponse>;
/** The monthly cost of an eval's calls. */
export type Projection<Format extends MoneyFormat = 'text'> = In<Format, Api.EvalsProjectionResponse>;
/** A compare that the service has taken on. */
export type QueuedRun = Api.AcceptedRun;
/** A compare that runs in the service, or has. */
export type Run = Api.RunsGetResponse;
/** One page of runs. */
export type RunPage = Api.RunsListResponse;
/** Which runs to list. */
export type RunQuery = NonNullable<Api.RunsListData['query']>;
/** The content of a data set: rows, or a file. A stream or iterable gives bytes. */
export type DatasetSource =
  Api.NewDatasetRow[] | string | Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
/** JSONL with one row a line, CSV with a header line, or JSON with `{"rows": […]}`. */
export type DatasetFormat = 'jsonl' | 'csv' | 'json';
/**
 * A name, members or columns with other names, and the format: by default that of the file's or the name's extension,
 * else JSONL.
 */
export type DatasetOptions = NonNullable<Api.DatasetsCreateData['query']> & { format?: DatasetFormat | undefined };
/** A data set: the rows of experiments. */
export type Dataset = Api.DatasetsGetResponse;
/** A data set just stored, and what the service decided on. */
export type CreatedDataset = Api.DatasetsCreateResponse;
/** One page of data sets. */
export type DatasetPage = Api.DatasetsListResponse;
/** Which data sets to list. */
export type DatasetQuery = NonNullable<Api.DatasetsListData['query']>;
/** A row of a data set. */
export type DatasetRow = DatasetRowPage['rows'][number];
/** One page of rows. */
export type DatasetRowPage = Api.DatasetsRowsResponse;
/** Which rows to list. */
export type DatasetRowQuery = NonNullable<Api.DatasetsRowsData['query']>;
/** A link to an eval. */
export type Share = SharePage['shares'][number];
/** A new link; `url` is relative to the address of the service. */
export type NewShare = Api.SharesCreateResponse;
/** One page of links. */
export type SharePage = Api.SharesListResponse;
/** Which links to list. */
export type ShareQuery = NonNullable<Api.SharesListData['query']>;
/** The subject and the restrictions of a link. */
export type ShareRequest = Api.SharesCreateData['body'];
/** The next answers to vote on; without a `ballot`, nothing is left. */
export type Ballot = Api.ExperimentsBallotResponse;
/** How many of the next things to vote on are left out for now. */
export type BallotQuery = NonNullable<Api.ExperimentsBallotData['query']>;
/** A vote that counts. */
export type Vote = Api.ExperimentsVoteResponse;
/** A ballot and the answer that won. */
export type VoteRequest = Api.ExperimentsVoteData['body'];
/** A ballot, the answer that won, and the name of the voter. */
export type SharedVoteRequest = Api.SharesVoteData['body'];
/** The content of a link. */
export type Shared<Format extends MoneyFormat = 'text'> = SharedEval<Format> | SharedExperiment<Format>;
/** A shared eval. */
export type SharedEval<Format extends MoneyFormat = 'text'> = In<Format, Api.SharedEval>;
/** A shared experiment; it has `summary`. */
export type SharedExperiment<Format extends MoneyFormat = 'text'> = In<Format, Api.SharedExperiment>;

/** The choice of a key among the answers of an eval. */
export type Preference = Api.EvalsPreferResponse;
/** A choice to keep. */
export type PreferenceRequest = Api.EvalsPreferData['body'];
/** Counts of preferences, by pair and by model. */
export type Preferences = Api.EvalsPreferencesResponse;
/** Which preferences to count: of some models, or since an instant (ISO 8601). */
export interface PreferencesQuery {
  models?: readonly string[] | undefined;
  since?: string | undefined;
}
/** The note and the star of an eval. */
export type Annotation = Api.EvalsAnnotateResponse;
/** A change of the note or the star. */
export type AnnotationRequest = Api.EvalsAnnotateData['body'];

/** An experiment to start. */
export type ExperimentRequest = Omit<Api.CreateExperimentRequest, 'judge'> &
  Required<Pick<Api.CreateExperimentRequest, 'dataset' | 'models' | 'prompt'>>;
/** An experiment of judges to start. */
export interface JudgingRequest {
  judge: Api.JudgeRequest;
  max_cost_usd: number;
  name?: string | undefined;
  parallel?: number | undefined;
}
/** A check by code, or a rubric that a judge decides after the last row. */
export type ExperimentCheck = Api.ExperimentCheck;
/** The judges of an experiment, their question and the cap. */
export interface JudgeRequest extends Omit<Api.JudgeRequest, 'of'> {
  /** The most that all verdicts may cost (USD without margin). */
  maxCostUsd: number;
  name?: string;
  parallel?: number;
}
/** The cautions, examinations and votes of an experiment of judges. */
export type Judgment = Api.ExperimentJudgment;
/** The findings about a judge. */
export type JudgeExamination = Api.JudgeExamination;
/** The result of judges of the answers of an experiment. */
export type JudgedBy = Api.JudgedBy;
/** An experiment whose cost is to be estimated. */
export type ExperimentEstimateRequest = Api.EstimateExperimentRequest;
/** The estimated cost of an experiment. */
export type ExperimentEstimate<Format extends MoneyFormat = 'text'> = In<Format, Api.ExperimentsEstimateResponse>;
/** An experiment. */
export type Experiment<Format extends MoneyFormat = 'text'> = In<Format, Api.ExperimentsGetResponse>;
/** One page of experiments. */
export type ExperimentPage<Format extends MoneyFormat = 'text'> = In<Format, Api.ExperimentsListResponse>;
/** Which experiments to list. */
export type ExperimentQuery = NonNullable<Api.ExperimentsListData['query']>;
/** A change of an experiment. */
export type ExperimentChange = Api.ExperimentsChangeData['body'];
/** A row of an experiment with its answers. */
export type ExperimentRow<Format extends MoneyFormat = 'text'> = ExperimentRowPage<Format>['rows'][number];
/** One page of rows of an experiment. */
export type ExperimentRowPage<Format extends MoneyFormat = 'text'> = In<
  Format,
  Extract<Api.ExperimentsRowsResponse, object>
>;
/** Which rows of an experiment to list. */
export type ExperimentRowQuery = NonNullable<Api.ExperimentsRowsData['query']>;
/** The figures of an experiment. */
export type ExperimentSummary<Format extends MoneyFormat = 'text'> = In<Format, Api.ExperimentsSummaryResponse>;
/** The changes from one experiment to another. */
export type ExperimentComparison<Format extends MoneyFormat = 'text'> = In<Format, Api.ExperimentsComparisonResponse>;
/** The earlier experiment, and optionally one model of each and the loss that counts as not worse. */
export type ExperimentComparisonQuery = NonNullable<Api.ExperimentsComparisonData['query']>;
/** A decision to keep after an experiment. */
export type DecisionRequest = Api.ExperimentsDecideData['body'];
/** A kept decision after an experiment. */
export type Decision = Api.ExperimentsDecideResponse;
/** The tolerance of a report, and what it leaves out. */
export interface ReportQuery {
  tolerance?: number | undefined;
  /** False leaves out prompt, rows, answers, options and reason. */
  texts?: boolean | undefined;
  /** At most 10. */
  rows?: number | undefined;
}
/** An experiment whose texts are being deleted. */
export type ExperimentErasure = Api.ExperimentsEraseResponse;

/**
 * How a file of another tool is imported: its name, readers of files and folders below its folder, and models and a
 * judge in place of those in the file.
 */
export interface ImportOptions {
  name?: string | undefined;
  readFile?: ((path: string) => string) | undefined;
  /** The paths of all files of a folder and the folders in it. */
  listFiles?: ((folder: string) => string[]) | undefined;
  models?: readonly string[] | undefined;
  judge?: string | undefined;
}
/** A place in an imported file, and the rest of a sentence that begins with it. */
export interface ImportNote {
  place: string;
  problem: string;
}
/** A row of a dataset. */
export type ImportedRow = {
  id?: string;
  input?: string;
  expected?: string;
  history?: Api.Turn[] | undefined;
  variables?: Record<string, string>;
  checks?: Api.Check[];
};
/**
 * A dataset and the experiments on it, without dataset and limit of cost. An experiment has separate rows where the
 * prompts have different variables. `remarks` are differences that lose no check.
 */
export interface ImportedExperiment {
  source: 'promptfoo' | 'OpenAI eval' | 'OpenAI rows';
  rows: ImportedRow[];
  experiments: {
    name: string;
    prompt: string;
    models: string[];
    options?: Record<string, unknown>;
    checks?: ExperimentCheck[];
    parallel?: number;
    rows?: ImportedRow[];
  }[];
  unconverted: ImportNote[];
  remarks: ImportNote[];
}

/** How many calls of each model a month has. */
export type ProjectionQuery = NonNullable<Api.EvalsProjectionData['query']>;
/** A text and its checks. */
export type ChecksRequest = Api.ChecksDecideData['body'];
/** The verdicts of checks on a text. */
export type ChecksAnswer = Api.ChecksDecideResponse;
/** Which earlier eval to compare with. */
export type DriftQuery = NonNullable<Api.EvalsDriftData['query']>;
/** Which past evals to list. */
export type EvalQuery = Omit<NonNullable<Api.EvalsListData['query']>, 'include'>;
/** Which month. */
export type MonthQuery = NonNullable<Api.UsageGetData['query']>;
/** Which month, and by what. */
export type BreakdownQuery = NonNullable<Api.UsageBreakdownData['query']>;
