import { toChecks } from '../checks/read-checks';
import { sentCheck, storedCheck, type Check, type GivenCheck } from '../checks/types';
import { ApiError } from '../../common/errors';
import { baseModelId } from '../../common/model-arm';
import { Money } from '../../common/money';
import type { ExtraOptions } from '../evals/extra-options';
import type { CompareCommand } from '../execution/compare.types';

const VERSION = 1;
/** Of a command with options or arms that the release before does not know: that release leaves the job to this one. */
const EXTRA_VERSION = 2;

/**
 * A command in the column `body`. Every value is explicit, so that the defaults of a later release do not change a
 * queued job.
 */
export interface StoredCommand {
  version: typeof VERSION | typeof EXTRA_VERSION;
  /** In the words of POST /compare, because processes of the release before read this member as a request. */
  request: StoredRequest;
  /** The temperature where the request left it out. */
  temperature: number;
  rerunOf?: string | undefined;
  /** False where the request left the output limit out. */
  isMaxTokensGiven?: boolean | undefined;
  /** Options that few compares set, as JSON text: the column would not keep the order of a schema's members. */
  extra?: string | undefined;
}

interface StoredRequest {
  prompt: string;
  input?: string | undefined;
  models: string[];
  options: { temperature?: number | undefined; max_tokens: number; samples: number; max_cost_usd?: number | undefined };
  checks?: object[] | undefined;
}

/** The body of a job that an earlier release has queued: the raw request, without `version`. */
interface EarlierBody {
  version?: undefined;
  request: Omit<StoredRequest, 'options'> & { options?: Partial<StoredRequest['options']> };
  rerunOf?: string;
}

/** The defaults of the releases that stored no version. */
const EARLIER_DEFAULTS = { temperature: 0.7, max_tokens: 500, samples: 1 };

/** Serializes a command, without its Idempotency-Key: the key has stood for the eval since the job was queued. */
export function storedCommand({
  prompt,
  input,
  models,
  samples,
  options,
  maxCost,
  checks,
  rerunOf,
}: CompareCommand): StoredCommand {
  return {
    version: options.extra === undefined && models.every((id) => baseModelId(id) === id) ? VERSION : EXTRA_VERSION,
    request: {
      prompt,
      input,
      models,
      options: {
        temperature: options.isTemperatureGiven ? options.temperature : undefined,
        max_tokens: options.maxTokens,
        samples,
        max_cost_usd: maxCost && Number(maxCost.toString()),
      },
      checks: checks.length > 0 ? checks.map(sentCheck) : undefined,
    },
    temperature: options.temperature,
    rerunOf,
    isMaxTokensGiven: options.isMaxTokensGiven,
    extra: options.extra && JSON.stringify(options.extra),
  };
}

/**
 * The command of a queued job. @throws ApiError unavailable for a version of a later release, so that a process of that
 * release can run it
 */
export function readCommand(body: unknown): CompareCommand {
  const stored = body as StoredCommand | EarlierBody;
  if (stored.version === undefined)
    return commandOf(
      stored.request,
      { ...EARLIER_DEFAULTS, ...stored.request.options },
      toChecks((stored.request.checks ?? []) as GivenCheck[]),
      stored,
    );
  // A later release may have written another number.
  if ((stored.version as number) > EXTRA_VERSION)
    throw new ApiError('unavailable', { message: 'This run was queued by a later release.', retryAfterSeconds: 1 });
  const { request, temperature } = stored;
  return commandOf(request, { temperature, ...request.options }, (request.checks ?? []).map(storedCheck), stored);
}

function commandOf(
  request: Omit<StoredRequest, 'options'>,
  options: StoredRequest['options'] & { temperature: number },
  checks: Check[],
  { request: { options: given }, rerunOf, ...stored }: StoredCommand | EarlierBody,
): CompareCommand {
  const { isMaxTokensGiven = true, extra } = stored as Partial<StoredCommand>;
  return {
    prompt: request.prompt,
    input: request.input,
    models: request.models,
    samples: options.samples,
    options: {
      temperature: options.temperature,
      isTemperatureGiven: given?.temperature !== undefined,
      maxTokens: options.max_tokens,
      isMaxTokensGiven,
      extra: extra === undefined ? undefined : (JSON.parse(extra) as ExtraOptions),
    },
    maxCost: options.max_cost_usd === undefined ? undefined : Money.fromNumber(options.max_cost_usd),
    checks,
    rerunOf,
  };
}
