import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CompareError, type ExperimentEstimate, type ExperimentEstimateRequest } from '../../client/client';
import { shortAmount } from '../../client/amount-text';
import { groupDigits } from '../compare/limits';
import { withFormLabels } from '../compare/refusal';
import { client } from '../session';

const WAIT_MS = 400;

/** The price of an experiment, asked for 400 ms after the last change; an older question is given up. */
export function ExperimentEstimateLine({ body }: { body: ExperimentEstimateRequest | undefined }) {
  const state = useSignal<{ estimate?: ExperimentEstimate; problem?: string; about?: string }>({});
  const text = body === undefined ? '' : JSON.stringify({ ...body, name: undefined });
  useEffect(() => {
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        state.value = { estimate: await client().experiments.estimate(JSON.parse(text) as ExperimentEstimateRequest, { signal: stop.signal }), about: text };
      } catch (error) {
        if (!stop.signal.aborted) state.value = { problem: error instanceof CompareError ? withFormLabels(error.message) : 'The answer of the service could not be shown.', about: text };
      }
    };
    const timer = text === '' ? undefined : setTimeout(() => void ask(), WAIT_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const { estimate, problem, about } = state.value;
  if (text === '') return <p class="estimate quiet">You see the price here once there are rows, a prompt and models.</p>;
  if (problem !== undefined && about === text) return <p class="estimate quiet">No estimate: {problem}</p>;
  return estimate === undefined ? <p class="estimate quiet">Estimating the price …</p> : <Known estimate={estimate} isOld={about !== text} />;
}

function Known({ estimate: { rows, calls, likely_cost_usd: likely, most_cost_usd: most, most_charge_usd: charge, fits_cap: fits, detectable_difference: difference }, isOld }: { estimate: ExperimentEstimate; isOld: boolean }) {
  return (
    <>
      <p class="estimate" data-old={isOld} title={`The models cost at most $${most}; at most $${charge} are charged`}>{shortAmount(likely)} if answers are half as long as allowed, at most {shortAmount(most)}</p>
      <p class="quiet">{groupDigits(rows)} {rows === 1 ? 'row' : 'rows'}, {groupDigits(calls)} calls; at most {shortAmount(charge)} charged.{difference !== null && ` ${groupDigits(rows)} rows find differences of about ${Math.round(100 * difference)} points and more.`}</p>
      {fits === false && <p class="estimate-warning"><i aria-hidden="true">⚠</i> The experiment may pause early: no row begins that could exceed the cap.</p>}
    </>
  );
}
