"""Types of the API. Generated from docs/openapi.json by `npm run openapi:generate`: do not edit."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class ErrorDetail(TypedDict):
    """What went wrong."""

    code: ErrorCode
    message: str
    param: NotRequired[str]
    details: NotRequired[dict[str, Any]]
    request_id: str
    trace_id: NotRequired[str]


class ErrorResponse(TypedDict):
    """Body of every error response."""

    error: ErrorDetail


class TemperatureRange(TypedDict):
    """A range of temperatures, both ends included."""

    min: float
    max: float


class AcceptedParameters(TypedDict):
    """Which parameters a model accepts."""

    temperature: TemperatureRange | None


class Reasoning(TypedDict):
    """How a model thinks before it writes."""

    efforts: list[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    default: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max", None]
    mandatory: bool


class Rates(TypedDict):
    """USD per million tokens, by kind of token."""

    input_per_1m: Decimal
    cached_input_per_1m: Decimal
    cache_write_per_1m: Decimal
    output_per_1m: Decimal


class LongContextRates(TypedDict):
    """Rates of long prompts, in USD per million tokens."""

    input_per_1m: Decimal
    cached_input_per_1m: Decimal
    cache_write_per_1m: Decimal
    output_per_1m: Decimal
    above_input_tokens: int


PricePeriod = TypedDict("PricePeriod", {
    "input_per_1m": "Decimal",
    "cached_input_per_1m": "Decimal",
    "cache_write_per_1m": "Decimal",
    "output_per_1m": "Decimal",
    "from": "str",
    "until": "str | None",
})


class Deprecation(TypedDict):
    """The announced end of a model."""

    on: str
    successor: str | None


class ModelDetails(TypedDict):
    """Limits, rates and price history of a model; only with `include=details`."""

    context_window: int | None
    max_output_tokens: int | None
    accepts: AcceptedParameters
    reasoning: Reasoning | None
    response_format: Literal["json_schema", "json", None]
    price: Rates
    long_context: LongContextRates | None
    prices: list[PricePeriod]
    stage: Literal["preview", None]
    deprecation: Deprecation | None
    free: bool
    prices_seen: str


class Model(TypedDict):
    """An available model with its current prices."""

    id: str
    name: str
    provider: str
    input_per_1m: Decimal
    output_per_1m: Decimal
    details: NotRequired[ModelDetails]


class ModelList(TypedDict):
    """The models that can be called now."""

    models: list[Model]


CheckFields = TypedDict("CheckFields", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
})


EqualsCheck = TypedDict("EqualsCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['equals']",
    "value": "str",
    "ignore_case": "NotRequired[bool]",
    "trim": "NotRequired[bool]",
})


ContainsCheck = TypedDict("ContainsCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['contains']",
    "values": "list[str]",
    "mode": "NotRequired[Literal['all', 'any']]",
    "ignore_case": "NotRequired[bool]",
    "at": "NotRequired[Literal['start', 'end']]",
})


LabelCheck = TypedDict("LabelCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['label']",
    "values": "list[str]",
    "ignore_case": "NotRequired[bool]",
})


RegexCheck = TypedDict("RegexCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['regex']",
    "pattern": "str",
    "flags": "NotRequired[str]",
})


JsonCheck = TypedDict("JsonCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['json']",
    "schema": "NotRequired[dict[str, Any]]",
    "allow_fence": "NotRequired[bool]",
    "find": "NotRequired[bool]",
})


NumberCheck = TypedDict("NumberCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['number']",
    "value": "float",
    "tolerance": "NotRequired[float]",
    "which": "NotRequired[Literal['last', 'first', 'only']]",
})


LengthCheck = TypedDict("LengthCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['length']",
    "min": "NotRequired[int]",
    "max": "NotRequired[int]",
    "unit": "NotRequired[Literal['characters', 'words', 'tokens']]",
})


SimilarityCheck = TypedDict("SimilarityCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['similarity']",
    "value": "str",
    "min": "float",
    "metric": "NotRequired[Literal['levenshtein', 'token_f1']]",
})


LatencyCheck = TypedDict("LatencyCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['latency']",
    "max_ms": "int",
    "of": "NotRequired[Literal['total', 'first_token']]",
})


CostCheck = TypedDict("CostCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['cost']",
    "max_usd": "Decimal | int | str",
})


FinishedCheck = TypedDict("FinishedCheck", {
    "name": "NotRequired[str]",
    "weight": "NotRequired[float]",
    "not": "NotRequired[bool]",
    "type": "Literal['finished']",
})


class Verdict(TypedDict):
    """What a check says of one answer."""

    name: str
    type: CheckType
    outcome: Outcome
    score: float | None
    reason: NotRequired[str]


class ChecksAnswer(TypedDict):
    """What the checks say of a text."""

    passed: bool
    score: float | None
    verdicts: list[Verdict]


class ChecksRequest(TypedDict):
    """A text and what it is checked for."""

    checks: list[Check]
    output: str
    input: NotRequired[str]
    expected: NotRequired[str]


class Turn(TypedDict):
    """A turn of a conversation."""

    role: TurnRole
    content: str


class NewDatasetRow(TypedDict):
    """A row of a new data set, at most 256 KiB. An empty text counts as absent."""

    input: NotRequired[str]
    id: NotRequired[str]
    expected: NotRequired[str]
    group: NotRequired[str]
    variables: NotRequired[dict[str, str]]
    history: NotRequired[list[Turn]]
    checks: NotRequired[list[Check]]


class NewDataset(TypedDict):
    """The rows of a new data set."""

    rows: list[NewDatasetRow]


class CreatedDataset(TypedDict):
    """A new data set, or the existing one of the same name and content."""

    dataset_id: str
    name: str
    rows: int
    groups: int
    bytes: int
    sha256: str
    columns: list[str]
    created_at: str
    notes: list[str]


class Dataset(TypedDict):
    """Rows of inputs for experiments. It never changes: another content is another data set."""

    dataset_id: str
    name: str
    rows: int
    groups: int
    bytes: int
    sha256: str
    columns: list[str]
    created_at: str


class DatasetList(TypedDict):
    """A page of data sets."""

    datasets: list[Dataset]
    limit: int


class DatasetRow(TypedDict):
    """A row of a data set."""

    no: int
    line: int
    id: str
    input: str | None
    expected: str | None
    group: str | None
    variables: dict[str, str] | None
    history: list[Turn] | None
    checks: list[Check] | None


class DatasetRowList(TypedDict):
    """A page of rows."""

    rows: list[DatasetRow]
    limit: int


class EvalSummaryMeta(TypedDict):
    """Key figures of an eval in a list."""

    total_cost_usd: Decimal
    fastest_model: str


class EvalSummaryDetails(TypedDict):
    """How an eval was charged and which of its models failed; only with `include=details`."""

    charge_usd: Decimal
    free: bool
    failed_models: list[str]


class Preference(TypedDict):
    """The choice of one key among the answers of an eval."""

    preferred: str
    blind: bool
    reason: str | None
    created_at: str


class EvalSummary(TypedDict):
    """An eval in a list, without its results."""

    eval_id: str
    prompt: str
    models: list[str]
    created_at: str
    meta: EvalSummaryMeta
    details: NotRequired[EvalSummaryDetails]
    preference: NotRequired[Preference | None]
    note: NotRequired[str | None]
    starred: NotRequired[bool]


class EvalList(TypedDict):
    """A page of evals."""

    evals: list[EvalSummary]
    limit: int
    offset: int


class PreferenceRequest(TypedDict):
    """The choice among the answers of an eval."""

    preferred: str
    blind: NotRequired[bool]
    reason: NotRequired[str]


class Annotation(TypedDict):
    """The note and the star of an eval, the same for all keys of the user."""

    note: str | None
    starred: bool


class AnnotationRequest(TypedDict):
    """The note and the star of an eval; an absent one is left unchanged."""

    note: NotRequired[str | None]
    starred: NotRequired[bool]


class PairCounts(TypedDict):
    """The preferences between the two models of a pair."""

    a: int
    b: int
    ties: int


class PairPreference(TypedDict):
    """The preferences between two models, over evals in which both answered."""

    models: list[str]
    preferred: PairCounts
    rate: float | None
    ci: list[float] | None
    evals: int
    neither: int


class ModelPreference(TypedDict):
    """How often a model was preferred, whatever the other models of the eval were."""

    model: str
    preferred: int
    evals: int
    rate: float | None
    ci: list[float] | None


class Preferences(TypedDict):
    """Counts of preferences. A preference counts once for each key and eval, and only where at least two models answered."""

    pairs: list[PairPreference]
    models: list[ModelPreference]
    evals: int
    blind_share: float | None


class ResultError(TypedDict):
    """Why a model failed."""

    code: ResultErrorCode
    message: str
    retryable: bool


class ResultWarning(TypedDict):
    """Something in which a result differs from what was asked for."""

    code: ResultWarningCode
    message: str


class ResultFields(TypedDict):
    """The common members of every result."""

    model: str
    provider: str
    output: str
    latency_ms: int
    cost_usd: Decimal
    input_tokens: int
    output_tokens: int
    total_tokens: int
    error: NotRequired[ResultError]
    warnings: NotRequired[list[ResultWarning]]


class TokenDetails(TypedDict):
    """Parts of the token counts."""

    cached_input: int
    cache_write: int
    reasoning: int


class ReportedUsage(TypedDict):
    """Token counts as the vendor reported them; null where it sent no finite number."""

    input_tokens: float | None
    output_tokens: float | None
    cached_input: float | None
    cache_write: float | None
    reasoning: float | None


class RunResultDetails(TypedDict):
    """How a model call was made, counted and priced, as it is known when the model finishes; only with `include=details`."""

    finish_reason: Literal["stop", "length", "other", None]
    ttft_ms: int | None
    tokens_per_second: float | None
    attempts: int
    vendor_model: str
    answered_by: str | None
    applied: dict[str, float | str]
    tokens: TokenDetails
    reported: NotRequired[ReportedUsage]
    prices: Rates | None
    cost_source: Literal["vendor", "catalog", None]


class ResultDetails(TypedDict):
    """How a model call was made, counted, priced and charged; only with `include=details`."""

    finish_reason: Literal["stop", "length", "other", None]
    ttft_ms: int | None
    tokens_per_second: float | None
    attempts: int
    vendor_model: str
    answered_by: str | None
    applied: dict[str, float | str]
    tokens: TokenDetails
    reported: NotRequired[ReportedUsage]
    prices: Rates | None
    cost_source: Literal["vendor", "catalog", None]
    charge_usd: Decimal


class Result(TypedDict):
    """The result of one model."""

    model: str
    provider: str
    output: str
    latency_ms: int
    cost_usd: Decimal
    input_tokens: int
    output_tokens: int
    total_tokens: int
    error: NotRequired[ResultError]
    warnings: NotRequired[list[ResultWarning]]
    details: NotRequired[Any]
    checks: NotRequired[list[Verdict]]


class EvalMeta(TypedDict):
    """Key figures of an eval."""

    total_cost_usd: Decimal
    fastest_model: str
    cheapest_model: str
    created_at: str


class EvalOptions(TypedDict):
    """The options of an eval with defaults filled in."""

    temperature: float
    max_tokens: int
    samples: NotRequired[int]
    system: NotRequired[str]
    history: NotRequired[list[Turn]]
    reasoning_effort: NotRequired[ReasoningEffort]
    reasoning_tokens: NotRequired[int]
    response_format: NotRequired[dict[str, Any]]
    exact_model: NotRequired[bool]


class EvalLeaders(TypedDict):
    """The model that leads among those that pass."""

    cheapest_passing: str | None


class EvalDetails(TypedDict):
    """What an eval was requested with and how it was charged; only with `include=details`."""

    input: str | None
    options: EvalOptions
    charge_usd: Decimal
    free: bool
    duration_ms: int
    experiment_id: NotRequired[str]
    leaders: NotRequired[EvalLeaders]


class LatencyStatistics(TypedDict):
    """Latencies of the answers in milliseconds."""

    p50: float
    p50_ci: list[float] | None
    method: Literal["order_statistics"]
    p90: float
    p90_ci: list[float] | None
    min: int
    max: int


class MedianStatistics(TypedDict):
    """A median."""

    p50: float
    p50_ci: list[float] | None
    method: Literal["order_statistics"]


class CostStatistics(TypedDict):
    """Costs of the answers in USD, without our margin."""

    total: Decimal
    mean: Decimal
    min: Decimal
    max: Decimal
    stddev: Decimal | None
    mean_without_cache: Decimal


class TokenStatistics(TypedDict):
    """Output tokens of the answers."""

    mean: float
    min: int
    max: int


class CheckStatistics(TypedDict):
    """How often an answer passed all checks."""

    passed: int
    of: int
    rate: float | None
    ci: list[float] | None
    method: Literal["wilson"]


class SelfAgreement(TypedDict):
    """How far the answers of one model agree with each other."""

    distinct: int
    modal_share: float
    mean_similarity: float | None


class ModelStatistics(TypedDict):
    """The results of one model over all samples. Only its answers count; where there is none, null."""

    model: str
    answered: int
    failed: int
    latency_ms: LatencyStatistics | None
    ttft_ms: MedianStatistics | None
    cost_usd: CostStatistics | None
    output_tokens: TokenStatistics | None
    checks: NotRequired[CheckStatistics]
    agreement: SelfAgreement | None


class Leader(TypedDict):
    """The model with the lowest median, and how likely its lead is more than luck. Answers without text count only where no model has more."""

    model: str
    confident: bool
    p_value: float | None
    because: str


class EvalStatistics(TypedDict):
    """The statistics of the samples of an eval, with their certainty. Numbers are rounded to 6 significant digits, amounts are not. With one sample there are no intervals. Of 20 intervals, 19 contain the figure that endless rounds of this prompt at this hour would give."""

    samples: int
    models: list[ModelStatistics]
    fastest: Leader | None
    cheapest: Leader | None


class ModelChecks(TypedDict):
    """What the checks say of one model, over all its results."""

    model: str
    passed: int
    failed: int
    errored: int
    score: float | None


class EvalChecks(TypedDict):
    """The checks of an eval and what they say; only with `include=checks`."""

    passed: bool
    definitions: list[Check]
    by_model: list[ModelChecks]


class Eval(TypedDict):
    """A comparison with its results."""

    eval_id: str
    prompt: str
    models: list[str]
    results: list[Result]
    meta: EvalMeta
    details: NotRequired[EvalDetails]
    statistics: NotRequired[EvalStatistics]
    checks: NotRequired[EvalChecks]
    preference: NotRequired[Preference | None]
    note: NotRequired[str | None]
    starred: NotRequired[bool]


class PairAgreement(TypedDict):
    """How far two models agree."""

    agree: float
    similarity: float


class Consensus(TypedDict):
    """The most frequent answer."""

    share: float
    models: list[str]


class Agreement(TypedDict):
    """How far the models of an eval agree with each other. Says nothing of who is right."""

    models: list[str]
    metric: Literal["levenshtein", "token_f1"]
    matrix: list[list[PairAgreement | None]]
    groups: list[list[str]]
    consensus: Consensus | None


class AnswerCounts(TypedDict):
    """How many calls of a model answered."""

    before: int
    after: int


class NumberChange(TypedDict):
    """A figure before and after; null where no answer counts: answers without text count only if neither eval has others."""

    before: Decimal | float | None
    after: Decimal | float | None
    change: Decimal | float | None


class CheckChanges(TypedDict):
    """Names of the checks that another share of the answers passed than before; only checks that both evals define alike."""

    improved: list[str]
    regressed: list[str]


class TextSetting(TypedDict):
    """A setting of the call."""

    before: str
    after: str
    changed: bool


class NamesSetting(TypedDict):
    """Names over all calls of a model, sorted."""

    before: list[str]
    after: list[str]
    changed: bool


class AppliedSetting(TypedDict):
    """The parameters that were sent, under the vendor's names."""

    before: dict[str, float | str]
    after: dict[str, float | str]
    changed: bool


class PricesSetting(TypedDict):
    """The rates that calls were priced at; null where the model did not answer."""

    before: Rates | None
    after: Rates | None
    changed: bool


class CostChange(TypedDict):
    """Why the mean cost of a call changed, in USD. The two add up to its change."""

    by_tokens: Decimal
    by_price: Decimal


class DriftTest(TypedDict):
    """Fisher's exact test that the share is the same in both evals."""

    p_value: float
    p_adjusted: float
    significant: bool


class DriftTests(TypedDict):
    """What can be told from luck. Latency cannot: two evals are two moments."""

    answered: DriftTest | None
    checks: DriftTest | None


class ModelDrift(TypedDict):
    """The changes of one model."""

    model: str
    answered: AnswerCounts
    output: Literal["same", "equivalent", "changed", None]
    similarity: float | None
    latency_ms: NumberChange
    cost_usd: NumberChange
    input_tokens: NumberChange
    output_tokens: NumberChange
    checks: CheckChanges | None
    vendor_model: TextSetting
    answered_by: NamesSetting
    applied: AppliedSetting
    prices: PricesSetting
    cost_change_usd: CostChange | None
    significant: DriftTests | None
    because: str


class Drift(TypedDict):
    """What changed from an earlier eval to this one."""

    eval_id: str
    against: str
    request_changed: list[str]
    models: list[ModelDrift]
    only_before: list[str]
    only_after: list[str]


PriceHours = TypedDict("PriceHours", {
    "weekdays": "list[int] | None",
    "from": "str",
    "until": "str",
})


ProjectedMonth = TypedDict("ProjectedMonth", {
    "from": "str",
    "until": "str | None",
    "hours": "PriceHours | None",
    "cost_per_call_usd": "Decimal",
    "cost_per_call_without_cache_usd": "Decimal",
    "monthly_cost_usd": "Decimal",
    "monthly_charge_usd": "Decimal",
    "ci": "list[float] | None",
    "ci_method": "Literal['student_t', None]",
})


class ProjectedPassed(TypedDict):
    """What passed answers cost in USD, without our margin: the cost of all calls over the passed ones."""

    usd: float
    ci: list[float] | None
    monthly_usd: Decimal


class ModelProjection(TypedDict):
    """The projection of one model."""

    model: str
    answered: int
    months: list[ProjectedMonth]
    cost_per_passed: ProjectedPassed | None
    notes: list[str]


class Projection(TypedDict):
    """What a month of calls like those of an eval would cost."""

    eval_id: str
    calls_per_month: int
    margin: float
    models: list[ModelProjection]


class EvalStarted(TypedDict):
    """Which eval a stream is about."""

    eval_id: str
    models: list[str]
    samples: NotRequired[int]


class EvalStartedEvent(TypedDict):
    """The first event: all models are being called, and with samples again once all have ended."""

    id: str
    event: Literal["eval-started"]
    data: EvalStarted


class Delta(TypedDict):
    """More text of a model."""

    model: str
    sample: NotRequired[int]
    text: str


class DeltaEvent(TypedDict):
    """A model has written more text."""

    id: str
    event: Literal["delta"]
    data: Delta


class RunResult(TypedDict):
    """The result of one model as soon as it is known. What the call is charged is known when the eval is stored."""

    model: str
    provider: str
    output: str
    latency_ms: int
    cost_usd: Decimal
    input_tokens: int
    output_tokens: int
    total_tokens: int
    error: NotRequired[ResultError]
    warnings: NotRequired[list[ResultWarning]]
    details: NotRequired[Any]
    sample: NotRequired[int]


class ResultEvent(TypedDict):
    """A model has finished or failed."""

    id: str
    event: Literal["result"]
    data: RunResult


class EvalEvent(TypedDict):
    """The last event of a successful run: the eval is stored."""

    id: str
    event: Literal["eval"]
    data: Eval


class FailedModel(TypedDict):
    """A model of a compare in which all models failed."""

    model: str
    error: ResultError


class AllModelsFailedDetails(TypedDict):
    """Why each model failed."""

    models: list[FailedModel]


class AllModelsFailedDetail(TypedDict):
    """All models failed."""

    code: Literal["all_models_failed"]
    message: str
    details: AllModelsFailedDetails
    request_id: str


class AllModelsFailedResponse(TypedDict):
    """Body of the error response when all models failed: nothing was stored or charged."""

    error: AllModelsFailedDetail


class ErrorEvent(TypedDict):
    """The last event of a failed run. A failure before the first event is an ordinary error response."""

    id: str
    event: Literal["error"]
    data: AllModelsFailedResponse | ErrorResponse


class AcceptedRun(TypedDict):
    """A compare that was queued."""

    run_id: str
    eval_id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]


class CompareOptions(TypedDict):
    """Options for every model of a compare."""

    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    max_cost_usd: NotRequired[Decimal | int | str]
    samples: NotRequired[int]
    system: NotRequired[str]
    history: NotRequired[list[Turn]]
    reasoning_effort: NotRequired[ReasoningEffort]
    reasoning_tokens: NotRequired[int]
    response_format: NotRequired[dict[str, Any]]
    exact_model: NotRequired[bool]
    store: NotRequired[bool]


class CompareRequest(TypedDict):
    """What to compare."""

    prompt: str
    models: list[str]
    input: NotRequired[str]
    options: NotRequired[CompareOptions]
    checks: NotRequired[list[Check]]


class AmountRange(TypedDict):
    """A range of amounts in USD."""

    least: Decimal
    most: Decimal


class ModelEstimate(TypedDict):
    """The estimated cost of one model."""

    model: str
    provider: str
    estimated_input_tokens: int
    max_output_tokens: int
    cost_usd: AmountRange
    charge_usd: AmountRange


class Estimate(TypedDict):
    """The estimated cost of a compare."""

    models: list[ModelEstimate]
    cost_usd: AmountRange
    charge_usd: AmountRange
    free: bool
    free_evals_remaining: int


class RerunOptions(TypedDict):
    """The only option that a rerun takes."""

    max_cost_usd: NotRequired[Decimal | int | str]


class RerunRequest(TypedDict):
    """What a rerun may cost at most."""

    options: NotRequired[RerunOptions]


class RunError(TypedDict):
    """Why a run failed."""

    code: Literal["invalid_request", "invalid_json", "unknown_model", "judge_not_neutral", "unauthorized", "payment_required", "spend_limit_reached", "key_spend_limit_reached", "max_cost_exceeded", "model_not_allowed", "insufficient_scope", "forbidden", "not_found", "method_not_allowed", "timeout", "conflict", "idempotency_key_in_use", "payment_provider_not_configured", "not_comparable", "eval_erased", "body_too_large", "uri_too_long", "unsupported_media_type", "expectation_failed", "headers_too_large", "idempotency_key_reused", "rate_limited", "internal_error", "all_models_failed", "overloaded", "unavailable"]
    message: str
    param: NotRequired[str]
    details: NotRequired[dict[str, Any]]


class Run(TypedDict):
    """A compare that runs in the background."""

    run_id: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    eval_id: str
    created_at: str
    started_at: NotRequired[str]
    finished_at: NotRequired[str]
    error: NotRequired[RunError]


class RunList(TypedDict):
    """A page of runs."""

    runs: list[Run]
    limit: int


class ExperimentJudge(TypedDict):
    """What an experiment of judges judges."""

    of: str
    kind: JudgeKind
    criterion: str | None
    scale: Literal["pass_fail"] | Literal[5] | None
    judged: list[str]
    baseline: str | None
    rows: int


class ExperimentOptions(TypedDict):
    """Options for every model of an experiment."""

    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    samples: NotRequired[int]
    system: NotRequired[str]
    history: NotRequired[list[Turn]]
    reasoning_effort: NotRequired[ReasoningEffort]
    reasoning_tokens: NotRequired[int]
    response_format: NotRequired[dict[str, Any]]
    exact_model: NotRequired[bool]


class ExperimentRowCounts(TypedDict):
    """The rows of an experiment by state. The rest of `total` was not begun yet."""

    total: int
    done: int
    failed: int
    running: int
    waiting: int


class ExperimentDecision(TypedDict):
    """What was decided after an experiment."""

    model: str
    reason: str | None
    tolerance: float
    decided_at: str
    decided_by: str


class Experiment(TypedDict):
    """One prompt for the rows of a data set and several models."""

    experiment_id: str
    name: str | None
    state: Literal["running", "paused", "finished", "cancelled", "erasing", "erased"]
    reason: Literal["by_user", "cap_reached", "spend_limit_reached", "payment_required", "key_revoked", "model_gone", "model_not_allowed", "failing", "waiting_for_answers", None]
    reason_detail: str | None
    dataset_id: str
    limit: int | None
    prompt: str | None
    models: list[str]
    judge: ExperimentJudge | None
    options: ExperimentOptions | None
    checks: list[dict[str, Any]]
    parallel: int
    rows: ExperimentRowCounts
    cost_usd: Decimal
    charge_usd: Decimal
    max_cost_usd: Decimal
    max_charge_usd: Decimal
    created_at: str
    finished_at: str | None
    eta_seconds: int | None
    projected_cost_usd: Decimal | None
    projected_cost_ci: list[float] | None
    decision: ExperimentDecision | None


class JudgeRequest(TypedDict):
    """Models that judge the answers of an experiment."""

    of: str
    kind: JudgeKind
    models: list[str]
    criterion: str
    scale: NotRequired[Literal["pass_fail"] | Literal[5]]
    baseline: NotRequired[str]
    rows: NotRequired[int]


class RubricCheckRequest(TypedDict):
    """Passes when a judge says so: a model that reads the answer and the criterion, after the last row."""

    type: Literal["rubric"]
    name: NotRequired[str]
    criterion: str
    judge: str
    scale: NotRequired[Literal["pass_fail"] | Literal[5]]


class CreateExperimentRequest(TypedDict):
    """An experiment to start."""

    name: NotRequired[str]
    judge: NotRequired[JudgeRequest]
    dataset: NotRequired[str]
    limit: NotRequired[int]
    prompt: NotRequired[str]
    models: NotRequired[list[str]]
    options: NotRequired[ExperimentOptions]
    checks: NotRequired[list[ExperimentCheck]]
    parallel: NotRequired[int]
    max_cost_usd: Decimal | int | str


class ExperimentEstimate(TypedDict):
    """What an experiment would cost."""

    rows: int
    calls: int
    likely_cost_usd: Decimal
    most_cost_usd: Decimal
    most_charge_usd: Decimal
    fits_cap: bool | None
    detectable_difference: float | None


class EstimateExperimentRequest(TypedDict):
    """An experiment whose cost is to be estimated."""

    name: NotRequired[str]
    judge: NotRequired[JudgeRequest]
    dataset: NotRequired[str]
    limit: NotRequired[int]
    prompt: NotRequired[str]
    models: NotRequired[list[str]]
    options: NotRequired[ExperimentOptions]
    checks: NotRequired[list[ExperimentCheck]]
    parallel: NotRequired[int]
    max_cost_usd: NotRequired[Decimal | int | str]


class ExperimentList(TypedDict):
    """A page of experiments."""

    experiments: list[Experiment]
    limit: int


class ChangeExperimentRequest(TypedDict):
    """What to change of an experiment."""

    state: NotRequired[ExperimentTargetState]
    max_cost_usd: NotRequired[Decimal | int | str]
    retry: NotRequired[ExperimentRetry]


class ErasedExperiment(TypedDict):
    """An experiment whose texts are being erased."""

    experiment_id: str
    state: Literal["erasing", "erased"]


class ExperimentRowResult(TypedDict):
    """The answer of one model to a row."""

    model: str
    sample: NotRequired[int]
    output: str
    passed: bool | None
    score: float | None
    latency_ms: int
    cost_usd: Decimal
    error: NotRequired[ResultError]


class ExperimentRow(TypedDict):
    """A row of an experiment with the latest answer of each model."""

    row_no: int
    row_id: str
    attempt: int
    state: ExperimentRowState
    eval_id: str | None
    error: NotRequired[dict[str, Any]]
    input: str | None
    history: NotRequired[list[Turn]]
    expected: str | None
    group: NotRequired[str]
    cost_usd: Decimal
    results: list[ExperimentRowResult]


class ExperimentRowList(TypedDict):
    """A page of rows of an experiment."""

    rows: list[ExperimentRow]
    limit: int


class ExperimentRate(TypedDict):
    """A share of decided answers. Each row counts once, whatever its samples."""

    rate: float
    ci: list[float] | None
    method: Literal["wilson", "clustered_t"]


class ExperimentMean(TypedDict):
    """A mean over rows. Each row counts once, whatever its samples."""

    mean: float
    ci: list[float] | None
    method: Literal["clustered_t"]


class ExperimentCheckRate(TypedDict):
    """How often answers passed one check."""

    rate: float
    ci: list[float] | None
    method: Literal["wilson", "clustered_t"]
    name: str


class ExperimentLatency(TypedDict):
    """Latency of rows in milliseconds: of each row the median of its samples. A timeout is slower than every answer."""

    p50: float | None
    p50_ci: list[float] | None
    p90: float | None
    p90_ci: list[float] | None
    method: Literal["order_statistics", "woodruff"]
    timeouts: int


class ExperimentCost(TypedDict):
    """Cost of a call in USD, without our margin."""

    mean: Decimal
    ci: list[float] | None
    method: Literal["clustered_t"]
    total: Decimal
    mean_without_cache: Decimal


class ExperimentCostPerPassed(TypedDict):
    """USD, without our margin: the cost of all calls over the number of passed ones."""

    usd: float
    ci: list[float] | None


class ExperimentModel(TypedDict):
    """The figures of one model over all rows; null where no row has one. Missing is not wrong: failed calls and undecided checks do not count."""

    model: str
    rows: int
    answered: int
    failed: int
    coverage: float
    passed: ExperimentRate | None
    all_pass_rate: float | None
    any_pass_rate: float | None
    score: ExperimentMean | None
    checks: list[ExperimentCheckRate]
    latency_ms: ExperimentLatency | None
    cost_usd: ExperimentCost | None
    cost_per_passed: ExperimentCostPerPassed | None
    output_tokens: ExperimentMean | None
    self_agreement: float | None


class ExperimentFlips(TypedDict):
    """Rows in which the two differ."""

    gained: int
    lost: int


class ExperimentPair(TypedDict):
    """Two models in one metric, over the rows that both have."""

    models: list[str]
    metric: Literal["passed", "score", "latency_ms", "cost_usd"]
    rows: int
    difference: float | None
    ratio: float | None
    ci: list[float] | None
    p_value: float | None
    p_adjusted: float | None
    verdict: Literal["better", "worse", "cannot_tell", None]
    words: str
    flips: ExperimentFlips | None
    detectable_difference: float | None


class ExperimentRank(TypedDict):
    """The places that a model may have."""

    best: int
    worst: int


class ExperimentRankedModel(TypedDict):
    """A model and its places."""

    model: str
    rank: ExperimentRank


class ExperimentRanking(TypedDict):
    """The models by what can be told from luck."""

    metric: Literal["passed", "score"]
    models: list[ExperimentRankedModel]


class JudgedRate(TypedDict):
    """A model and its rate."""

    rate: float
    ci: list[float] | None
    model: str


class JudgeShare(TypedDict):
    """A share with its interval."""

    rate: float
    ci: list[float] | None


class JudgeDifference(TypedDict):
    """A difference with its interval."""

    difference: float
    ci: list[float] | None


class JudgeAgreementWithPeople(TypedDict):
    """How a judge agrees with people's votes that were drawn at random."""

    kappa: float | None
    accuracy: float
    ci: list[float] | None
    labels: int


class JudgeAgreement(TypedDict):
    """How far the verdicts of a judge agree with those of others."""

    with_judges: float | None
    with_people: JudgeAgreementWithPeople | None


class JudgeExamination(TypedDict):
    """What the examination of a judge found."""

    model: str
    verdicts: int
    unreadable: int
    order_consistency: JudgeShare | None
    flipped: int
    first_won: JudgeShare | None
    position_biased: bool
    longer_won: JudgeShare | None
    decoys: int
    decoys_passed: int
    gullible: bool
    self_pairs: int
    self_ties: int
    own_vendor: list[str]
    own_vendor_advantage: JudgeDifference | None
    agreement: JudgeAgreement
    rates: list[JudgedRate]


class VotersAgreement(TypedDict):
    """How far two people agree on the same item."""

    kappa: float | None
    voted_twice: int


class CorrectedRate(TypedDict):
    """A rate by all verdicts, corrected by the votes of people."""

    rate: float
    ci: list[float] | None
    models: list[str]
    labels: int
    as_if_labels: int


class ExperimentPeople(TypedDict):
    """The votes of people."""

    votes: int
    voters: int
    ranking: list[JudgedRate]
    agreement: VotersAgreement
    corrected: list[CorrectedRate]


class ExperimentJudgment(TypedDict):
    """What the judges of an experiment are worth."""

    of: str
    kind: JudgeKind
    cautions: list[str]
    win_rates: list[JudgedRate]
    without_own_vendor: list[JudgedRate] | None
    judges: list[JudgeExamination]
    people: ExperimentPeople | None


class ExperimentAlternative(TypedDict):
    """A cheaper model that may be as good: the rows so far cannot tell."""

    model: str
    rows_needed: int | None


class ExperimentRecommendation(TypedDict):
    """The model to take: the cheapest, by cost_per_passed, of those that are the best or not worse by more than the tolerance."""

    model: str | None
    basis: Literal["best", "not_worse", None]
    best: str | None
    tolerance: float
    alternative: ExperimentAlternative | None
    words: str


class JudgedBy(TypedDict):
    """What judges said of the answers of an experiment."""

    experiment_id: str
    name: str | None
    kind: JudgeKind
    state: Literal["running", "paused", "finished", "cancelled", "erasing", "erased"]
    models: list[str]
    judged: list[JudgedRate]
    headline: str | None


class ExperimentSummary(TypedDict):
    """The figures of an experiment, and the model to take."""

    final: bool
    rows: int
    groups: int
    coverage: float | None
    models: list[ExperimentModel]
    pairs: list[ExperimentPair]
    ranking: ExperimentRanking | None
    judgment: ExperimentJudgment | None
    headline: str
    warnings: list[str]
    recommendation: ExperimentRecommendation | None
    judged_by: list[JudgedBy]


class ExperimentUnmatchedRows(TypedDict):
    """Rows that only one experiment has, or that have another content."""

    count: int
    row_ids: list[str]


class ExperimentMetricChange(TypedDict):
    """One metric over the rows that both experiments have."""

    rows: Decimal | float
    before: Decimal | float | None
    after: Decimal | float | None
    difference: Decimal | float | None
    ratio: Decimal | float | None
    ci: list[float] | None
    p_value: Decimal | float | None
    p_adjusted: Decimal | float | None
    verdict: Literal["better", "not_worse", "worse", "cannot_tell", None]
    rows_needed: Decimal | float | None


class ExperimentMetricChanges(TypedDict):
    """The metrics of a model; null where no row has it in both."""

    passed: ExperimentMetricChange | None
    score: ExperimentMetricChange | None
    cost_usd: ExperimentMetricChange | None
    output_tokens: ExperimentMetricChange | None


class ExperimentLatencyChange(TypedDict):
    """Median latency in milliseconds. It is not tested: two experiments are two moments."""

    before: float | None
    after: float | None


class ExperimentCostPerPassedChange(TypedDict):
    """Cost of a passed answer in both, over the common rows; null below 5 passed rows."""

    before: ExperimentCostPerPassed | None
    after: ExperimentCostPerPassed | None


class ExperimentRowFlips(TypedDict):
    """Rows that pass more often, or less often, than before."""

    gained_count: int
    lost_count: int
    gained: list[str]
    lost: list[str]


class ExperimentModelChange(TypedDict):
    """One model in both experiments."""

    model: str
    against_model: str
    metrics: ExperimentMetricChanges
    latency_ms: ExperimentLatencyChange
    cost_per_passed: ExperimentCostPerPassedChange
    flips: ExperimentRowFlips
    verdict: Literal["better", "not_worse", "worse", "cannot_tell", None]
    words: str


class ExperimentResponseModels(TypedDict):
    """The models that answered, as the vendor names them."""

    model: str
    before: list[str]
    after: list[str]


class ExperimentComparison(TypedDict):
    """What changed from an earlier experiment to this one, row by row. Numbers are rounded to 6 significant digits."""

    final: bool
    rows: int
    unmatched: ExperimentUnmatchedRows
    tolerance: float
    models: list[ExperimentModelChange]
    response_models: list[ExperimentResponseModels]
    request_changed: list[str]
    verdict: Literal["better", "not_worse", "worse", "cannot_tell", None]
    words: str


class DecisionRequest(TypedDict):
    """What is decided after an experiment."""

    model: str
    reason: NotRequired[str]
    tolerance: NotRequired[float]


class BallotProgress(TypedDict):
    """How far the votes of a person have come."""

    voted: int
    items: int


class Ballot(TypedDict):
    """What to vote on next."""

    ballot: str | None
    kind: JudgeKind
    criterion: str
    input: str | None
    expected: str | None
    answers: list[str]
    progress: BallotProgress


class Vote(TypedDict):
    """A vote that counts."""

    winner: Winner
    voted_at: str


class VoteRequest(TypedDict):
    """A vote on what a ballot shows."""

    ballot: str
    winner: Winner


class Share(TypedDict):
    """A share link without its token."""

    share_id: str
    subject: str
    redact: list[Redaction]
    votes: bool
    status: Literal["live", "revoked", "expired"]
    created_at: str
    expires_at: str
    revoked_at: str | None
    views: int


class IssuedShare(TypedDict):
    """A new share link with its token."""

    share_id: str
    subject: str
    redact: list[Redaction]
    votes: bool
    status: Literal["live", "revoked", "expired"]
    created_at: str
    expires_at: str
    revoked_at: str | None
    views: int
    token: str
    url: str


class CreateShareRequest(TypedDict):
    """A link that shows one eval or experiment to whoever has it."""

    subject: str
    texts: NotRequired[bool]
    votes: NotRequired[bool]
    expires_in_days: NotRequired[int]
    redact: NotRequired[list[Redaction]]


class ShareList(TypedDict):
    """A page of share links."""

    shares: list[Share]
    limit: int


class SharedResult(TypedDict):
    """The result of one model in a shared eval."""

    model: str
    provider: NotRequired[str]
    output: NotRequired[str]
    latency_ms: int
    cost_usd: NotRequired[Decimal]
    input_tokens: NotRequired[int]
    output_tokens: NotRequired[int]
    total_tokens: NotRequired[int]
    error: NotRequired[ResultError]
    warnings: NotRequired[list[ResultWarning]]
    checks: NotRequired[list[Verdict]]


class SharedMeta(TypedDict):
    """Key figures of a shared eval."""

    total_cost_usd: NotRequired[Decimal]
    fastest_model: str
    cheapest_model: NotRequired[str]
    created_at: str


class SharedEval(TypedDict):
    """An eval that somebody shares by a link, without what the link leaves out."""

    redacted: list[Redaction]
    expires_at: str
    prompt: NotRequired[str]
    input: NotRequired[str]
    system: NotRequired[str]
    history: NotRequired[list[Turn]]
    reasoning_effort: NotRequired[ReasoningEffort]
    models: list[str]
    results: list[SharedResult]
    meta: SharedMeta
    checks: NotRequired[EvalChecks]
    statistics: EvalStatistics
    agreement: Agreement


class SharedDecision(TypedDict):
    """What was decided after a shared experiment."""

    model: str
    reason: str | None
    tolerance: float
    decided_at: str


class SharedRow(TypedDict):
    """A row of a shared experiment in which models differ."""

    row_no: int
    row_id: str
    input: str | None
    expected: str | None
    results: list[ExperimentRowResult]


class SharedExperiment(TypedDict):
    """An experiment that somebody shares by a link. Without texts, name, prompt and reason are null, and checks and rows empty."""

    name: str | None
    prompt: str | None
    models: list[str]
    checks: list[dict[str, Any]]
    created_at: str
    finished_at: str | None
    expires_at: str
    texts: bool
    votes: bool
    summary: ExperimentSummary
    decision: SharedDecision | None
    rows: list[SharedRow]


class SharedVoteRequest(TypedDict):
    """A vote of somebody with a link."""

    ballot: str
    winner: Winner
    voter: str


class FreeEvalsLimit(TypedDict):
    """Free evals of a month."""

    limit: int
    remaining: int


class SpendLimit(TypedDict):
    """A limit on what may be charged in a month, in USD."""

    limit_usd: Decimal
    remaining_usd: Decimal


class KeyLimits(TypedDict):
    """What is left of the limits in the current month."""

    month: str
    free_evals: FreeEvalsLimit
    key_spend: SpendLimit | None
    user_spend: SpendLimit | None


class KeyInUse(TypedDict):
    """The API key of the request: whose it is, what it may do and what is left of its limits."""

    name: str
    prefix: str
    email: str
    first_month: str
    scopes: list[Scope]
    allowed_models: list[str] | None
    expires_at: str | None
    limits: KeyLimits


class Pricing(TypedDict):
    """How evals are charged."""

    model: str
    description: str
    margin: float
    free_quota: int
    free_models: list[str]


class Usage(TypedDict):
    """A user's usage and charge in one month."""

    user_id: str
    email: str
    month: str
    eval_count: int
    total_charge_usd: Decimal
    free_evals_remaining: int
    has_payment_method: bool
    pricing: Pricing


class StatementLine(TypedDict):
    """An eval, or a correction by the operator."""

    time: str
    eval_id: str | None
    models: list[str]
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    margin: float
    charge_usd: Decimal
    free: bool
    reason: str | None


class StatementTotal(TypedDict):
    """Sums over the lines of a statement."""

    eval_count: int
    free_eval_count: int
    cost_usd: Decimal
    charge_usd: Decimal


class Statement(TypedDict):
    """Every charge and correction of a month."""

    month: str
    lines: list[StatementLine]
    total: StatementTotal


class BreakdownItem(TypedDict):
    """One model's, day's or key's share of a month."""

    item: str
    name: NotRequired[str]
    eval_count: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    charge_usd: Decimal


class Breakdown(TypedDict):
    """A month along one dimension."""

    month: str
    by: Literal["model", "day", "key"]
    items: list[BreakdownItem]


class PaymentMethodPage(TypedDict):
    """Where to leave a payment method."""

    url: str


class User(TypedDict):
    """A user, as the operator sees it."""

    id: str
    email: str
    free_quota: int | None
    has_payment_method: bool
    monthly_spend_limit_usd: Decimal | None
    created_at: str


class UserSettingsRequest(TypedDict):
    """The settings of a user to change; absent ones are left unchanged."""

    free_quota: NotRequired[int | None]
    has_payment_method: NotRequired[bool]
    monthly_spend_limit_usd: NotRequired[Decimal | int | str | None]


class CreateUserRequest(TypedDict):
    """A new user; absent settings take their defaults."""

    free_quota: NotRequired[int | None]
    has_payment_method: NotRequired[bool]
    monthly_spend_limit_usd: NotRequired[Decimal | int | str | None]
    email: str


class UserList(TypedDict):
    """A page of users."""

    users: list[User]


class Key(TypedDict):
    """An API key without its secret."""

    id: str
    name: str
    prefix: str
    created_at: str
    expires_at: str | None
    monthly_spend_limit_usd: Decimal | None
    allowed_models: list[str] | None
    scopes: list[Scope]
    revoked_at: str | None
    last_used_at: str | None


class IssuedKey(TypedDict):
    """A newly issued API key with its secret."""

    id: str
    name: str
    prefix: str
    created_at: str
    expires_at: str | None
    monthly_spend_limit_usd: Decimal | None
    allowed_models: list[str] | None
    scopes: list[Scope]
    revoked_at: str | None
    last_used_at: str | None
    api_key: str


class KeySettingsRequest(TypedDict):
    """The settings of an API key to change; absent ones are left unchanged."""

    expires_at: NotRequired[str | None]
    monthly_spend_limit_usd: NotRequired[Decimal | int | str | None]
    allowed_models: NotRequired[list[str] | None]
    scopes: NotRequired[list[Scope] | None]


class IssueKeyRequest(TypedDict):
    """A new API key; absent settings take their defaults."""

    expires_at: NotRequired[str | None]
    monthly_spend_limit_usd: NotRequired[Decimal | int | str | None]
    allowed_models: NotRequired[list[str] | None]
    scopes: NotRequired[list[Scope] | None]
    name: str


class KeyList(TypedDict):
    """A user's keys."""

    keys: list[Key]


class Adjustment(TypedDict):
    """A correction of a user's charge."""

    id: str
    month: str
    amount_usd: Decimal
    reason: str
    created_at: str


class AdjustmentRequest(TypedDict):
    """A correction of a user's charge to enter."""

    amount_usd: Decimal | int | str
    reason: str
    month: NotRequired[str]


class RotateKeyRequest(TypedDict):
    """How to replace an API key."""

    overlap_seconds: NotRequired[int]


class AuditEntry(TypedDict):
    """One entry of the audit log."""

    id: str
    at: str
    action: str
    target_type: str
    target_id: str
    actor: str
    request_id: str | None
    address: str | None
    changes: dict[str, dict[str, Any]]


class AuditList(TypedDict):
    """A page of the audit log."""

    entries: list[AuditEntry]
    limit: int


class MeterEvent(TypedDict):
    """A charge on its way to Stripe."""

    charge_id: str
    user_id: str
    state: Literal["parked", "waiting", "sent", "empty"]
    amount_usd: Decimal
    occurred_at: str
    attempts: int
    uncertain_since: str | None
    next_attempt_at: str | None
    sent_at: str | None
    last_error: str | None


class MeterEventList(TypedDict):
    """A page of meter events."""

    events: list[MeterEvent]
    limit: int


class ResendRequest(TypedDict):
    """The confirmation that the event can be sent again."""

    not_received: bool


ErrorCode: TypeAlias = Literal["invalid_request", "invalid_json", "unknown_model", "judge_not_neutral", "unauthorized", "payment_required", "spend_limit_reached", "key_spend_limit_reached", "max_cost_exceeded", "model_not_allowed", "insufficient_scope", "forbidden", "not_found", "method_not_allowed", "timeout", "conflict", "idempotency_key_in_use", "payment_provider_not_configured", "not_comparable", "eval_erased", "body_too_large", "uri_too_long", "unsupported_media_type", "expectation_failed", "headers_too_large", "idempotency_key_reused", "rate_limited", "internal_error", "all_models_failed", "overloaded", "unavailable"]


Check: TypeAlias = EqualsCheck | ContainsCheck | LabelCheck | RegexCheck | JsonCheck | NumberCheck | LengthCheck | SimilarityCheck | LatencyCheck | CostCheck | FinishedCheck


CheckType: TypeAlias = Literal["equals", "contains", "label", "regex", "json", "number", "length", "similarity", "latency", "cost", "finished"]


Outcome: TypeAlias = Literal["pass", "fail", "error", "skipped"]


TurnRole: TypeAlias = Literal["user", "assistant"]


ResultErrorCode: TypeAlias = Literal["authentication_failed", "quota_exhausted", "rate_limited", "overloaded", "unavailable", "connection_failed", "timeout", "invalid_answer", "content_refused", "context_too_long", "model_unavailable", "model_substituted", "invalid_request", "rejected", "not_called", "internal_error"]


ResultWarningCode: TypeAlias = Literal["input_missing", "history_adapted", "temperature_ignored", "temperature_clamped", "max_tokens_clamped", "output_truncated", "no_room_for_answer", "usage_estimated", "usage_above_limit", "price_differs", "model_substituted", "reasoning_effort_adapted", "reasoning_effort_ignored", "response_format_adapted", "response_format_ignored"]


ReasoningEffort: TypeAlias = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


CompareEvent: TypeAlias = EvalStartedEvent | DeltaEvent | ResultEvent | EvalEvent | ErrorEvent


JudgeKind: TypeAlias = Literal["rubric", "pairwise"]


ExperimentCheck: TypeAlias = EqualsCheck | ContainsCheck | LabelCheck | RegexCheck | JsonCheck | NumberCheck | LengthCheck | SimilarityCheck | LatencyCheck | CostCheck | FinishedCheck | RubricCheckRequest


ExperimentTargetState: TypeAlias = Literal["paused", "running", "cancelled"]


ExperimentRetry: TypeAlias = Literal["failed", "missing"]


ExperimentRowState: TypeAlias = Literal["running", "waiting", "done", "failed"]


Winner: TypeAlias = Literal["1", "2", "tie", "none", "yes", "no"]


Redaction: TypeAlias = Literal["prompt", "outputs", "costs", "models"]


Scope: TypeAlias = Literal["compare", "evals:read", "usage:read", "models:read", "shares", "experiments", "experiments:read"]
