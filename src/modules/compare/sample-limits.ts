import { ApiError } from '../../common/errors';

/** How many samples one compare may have, and how many model calls these may come to. */
export interface SampleLimits {
  samples: number;
  calls: number;
}

/** Of a compare whose caller waits for it. */
export const SAMPLE_LIMITS: SampleLimits = { samples: 10, calls: 40 };
/** Of a compare that runs in the background. */
export const ASYNC_SAMPLE_LIMITS: SampleLimits = { samples: 50, calls: 200 };

const PARAM = 'options.samples';

/**
 * As how many compares the body of a request counts, as far as that can be said before it is validated: as many as it
 * has samples.
 */
export function compareWeight({ body }: { body?: unknown }): number {
  const { options } = (body ?? {}) as { options?: { samples?: unknown } | null };
  const samples = options?.samples;
  return typeof samples === 'number' &&
    Number.isInteger(samples) &&
    samples >= 1 &&
    samples <= ASYNC_SAMPLE_LIMITS.samples
    ? samples
    : 1;
}

/**
 * Says whether that many samples of that many models are possible; one sample always is. @throws ApiError
 * invalid_request
 */
export function refuseTooManySamples(samples: number, models: number, limits: SampleLimits): void {
  const isAsync = limits === ASYNC_SAMPLE_LIMITS;
  if (samples > limits.samples) {
    throw new ApiError('invalid_request', {
      message: `${PARAM} must be a whole number from 1 to ${limits.samples}; up to ${ASYNC_SAMPLE_LIMITS.samples} are possible with Prefer: respond-async.`,
      param: PARAM,
    });
  }
  if (samples === 1 || samples * models <= limits.calls) return;
  const others = isAsync ? '' : `, or ${ASYNC_SAMPLE_LIMITS.calls} with Prefer: respond-async`;
  throw new ApiError('invalid_request', {
    message: `${models} models with ${samples} samples each are ${samples * models} model calls; ${PARAM} may lead to ${limits.calls} at most${others}.`,
    param: PARAM,
  });
}
