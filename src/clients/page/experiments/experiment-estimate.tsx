import { shortAmount } from '../../client/amount-text';
import type { ExperimentEstimate, ExperimentEstimateRequest } from '../../client/client';
import { delay } from '../../client/retries';
import { withFormLabels } from '../compare/form/refusal';
import { groupDigits, pluralize } from '../compare/limits';
import { client } from '../session';
import { useLatest } from './use-pages';

const WAIT_MS = 400;
/** Rows after which Wilson's interval of no difference ends at 2 and at 5 points. */
const [ROWS_OF_TWO_POINTS, ROWS_OF_FIVE_POINTS] = [190, 75];

/** The price of an experiment, asked for 400 ms after the last change; an older question is given up. */
export function useEstimate(body: ExperimentEstimateRequest | undefined) {
  const asked = body && { ...body, name: undefined };
  const { value, error, isLoading } = useLatest(
    async (signal) => {
      if (asked === undefined) return undefined;
      await delay(WAIT_MS, signal);
      return await client().experiments.estimate(asked, { signal });
    },
    [JSON.stringify(asked)],
  );
  return { isAsked: asked !== undefined, estimate: asked && value, error, isLoading };
}

/** The price in words; `needed` is missing before there is one. */
export function ExperimentEstimateLine({ price, needed }: { price: ReturnType<typeof useEstimate>; needed: string }) {
  const { isAsked, estimate, error, isLoading } = price;
  if (!isAsked) return <p class="estimate quiet">You see the price here once there are {needed}.</p>;
  if (error !== undefined) return <p class="estimate quiet">No estimate: {withFormLabels(error.message)}</p>;
  return estimate === undefined ? (
    <p class="estimate quiet">Estimating the price …</p>
  ) : (
    <Known estimate={estimate} isOld={isLoading} />
  );
}

function Known({
  estimate: {
    rows,
    calls,
    likely_cost_usd: likely,
    most_cost_usd: most,
    most_charge_usd: charge,
    fits_cap: fits,
    detectable_difference: difference,
  },
  isOld,
}: {
  estimate: ExperimentEstimate;
  isOld: boolean;
}) {
  return (
    <>
      <p class="estimate" data-old={isOld} title={`The models cost at most $${most}; at most $${charge} are charged`}>
        At most {shortAmount(most)}; {shortAmount(likely)} if every answer is half as long as allowed
      </p>
      <p class="quiet">
        {pluralize(rows, 'row')}, {groupDigits(calls)} calls; at most {shortAmount(charge)} charged.
        {difference !== null &&
          ` ${groupDigits(rows)} rows find differences of about ${Math.round(100 * difference)} percentage points and more.`}
      </p>
      {rows < ROWS_OF_TWO_POINTS && difference !== null && (
        <p class="quiet">
          To show that a cheaper model is at most 2 points worse takes about {ROWS_OF_TWO_POINTS} rows, for 5 points
          about {ROWS_OF_FIVE_POINTS}.
        </p>
      )}
      {fits === false && (
        <p class="estimate-warning">
          <i aria-hidden="true">⚠</i> The experiment may pause early: a row that could exceed the cap does not begin.
        </p>
      )}
    </>
  );
}
