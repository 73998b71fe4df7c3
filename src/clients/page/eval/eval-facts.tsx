import type { Eval } from '../../client/client';
import { samplesOf } from '../compare/evaluated';
import { isNothing } from '../money';
import { Amount } from '../parts/amount';
import { LocalTime } from '../parts/local-time';
import { experimentPath } from '../routes';

/** The time, the options and the charge of an eval. */
export function EvalFacts({ stored: { meta, details } }: { stored: Eval }) {
  return (
    <dl class="eval-facts">
      <div>
        <dt>Asked</dt>
        <dd>
          <LocalTime timestamp={meta.created_at} />
        </dd>
      </div>
      {details !== undefined && <Options {...details} />}
    </dl>
  );
}

function Options({ options, charge_usd: charge, free, experiment_id: experiment }: NonNullable<Eval['details']>) {
  const samples = samplesOf(options);
  return (
    <>
      <div>
        <dt>Temperature</dt>
        <dd>{options.temperature}</dd>
      </div>
      <div>
        <dt>Max tokens</dt>
        <dd>{options.max_tokens}</dd>
      </div>
      {options.reasoning_effort !== undefined && (
        <div>
          <dt>Effort</dt>
          <dd>{options.reasoning_effort}</dd>
        </div>
      )}
      {options.reasoning_tokens !== undefined && (
        <div>
          <dt>Room for thought</dt>
          <dd>{options.reasoning_tokens}</dd>
        </div>
      )}
      {options.exact_model === true && (
        <div>
          <dt>Exact model</dt>
          <dd>required</dd>
        </div>
      )}
      {samples > 1 && (
        <div>
          <dt>Samples</dt>
          <dd>{samples}</dd>
        </div>
      )}
      <div>
        <dt>Charged</dt>
        <dd>{free ? 'nothing: a free eval' : isNothing(charge) ? 'nothing' : <Amount exact={charge} />}</dd>
      </div>
      {experiment !== undefined && (
        <div>
          <dt>Row of</dt>
          <dd>
            <a href={experimentPath(experiment)}>an experiment</a>
          </dd>
        </div>
      )}
    </>
  );
}
