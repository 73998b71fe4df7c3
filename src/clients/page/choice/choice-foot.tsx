import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Eval, Preference } from '../../client/client';
import { choiceIn, choose, type Judged, MAX_REASON_CHARACTERS, NONE, takeBack, TIE } from '../compare/answers/judging';
import { groupDigits } from '../compare/limits';
import { ModelMark, ModelName } from '../compare/models/model-mark';
import { useLoaded } from '../requests';
import { client } from '../session';
import { CALLS_PER_MONTH, monthText, pairRates, PairRateText } from './pair-rates';

interface ChoiceFootProps {
  judged: Judged;
  /** The names under which the models are shown. */
  names: readonly string[];
  /** The column that the phone shows, from 1. */
  current: number;
}

/** Asks below the answers which one is better, and shows the choice. */
export function ChoiceFoot({ judged: { asking, order, choose, columns }, names, current }: ChoiceFootProps) {
  if (asking === undefined) return null;
  const { kept, problem, isSaving } = choiceIn(asking);
  const isFailed = columns[current - 1]?.value.phase === 'failed';
  return (
    <section class="choice" aria-label="Which answer is better?" aria-busy={isSaving.value}>
      {choose !== undefined && (
        <div class="choice-ask">
          <strong>Which answer is better?</strong>
          {!isFailed && (
            <button type="button" class="choice-current" onClick={() => choose(order[current - 1])}>
              <bdi>{names[current - 1]}</bdi>
            </button>
          )}
          <button type="button" onClick={() => choose(TIE)}>
            They tie
          </button>
          <button type="button" onClick={() => choose(NONE)}>
            None is good
          </button>
        </div>
      )}
      {kept.value !== undefined && <Chosen stored={asking} kept={kept.value} models={order} />}
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </section>
  );
}

interface ChosenProps {
  stored: Eval;
  kept: Preference;
  models: readonly string[];
}

/** The choice, the way back, and what earlier choices and a month of calls say. */
export function Chosen({ stored, kept, models }: ChosenProps) {
  const isWriting = useSignal(false);
  const words = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (document.activeElement === document.body) words.current?.focus({ preventScroll: true });
  }, []);
  const { preferred, reason } = kept;
  return (
    <>
      <div class="choice-made">
        <p ref={words} tabIndex={-1}>
          <ChoiceWords kept={kept} models={stored.models} />
        </p>
        <span class="choice-buttons">
          {!isWriting.value && (
            <button
              type="button"
              class="button-quiet"
              onClick={() => {
                isWriting.value = true;
              }}
            >
              {reason === null ? 'Add a reason' : 'Change the reason'}
            </button>
          )}
          <button type="button" class="button-quiet" onClick={() => void takeBack(stored)}>
            Take back
          </button>
        </span>
      </div>
      {isWriting.value && (
        <Reason
          stored={stored}
          kept={kept}
          onDone={() => {
            isWriting.value = false;
            words.current?.focus({ preventScroll: true });
          }}
        />
      )}
      <Experience key={`${preferred} ${kept.created_at}`} evalId={stored.eval_id} models={models} all={stored.models} />
    </>
  );
}

function ChoiceWords({ kept: { preferred, blind, reason }, models }: Pick<ChosenProps, 'kept' | 'models'>) {
  return (
    <>
      {preferred === TIE || preferred === NONE ? (
        <strong>You chose {preferred === TIE ? 'a tie' : 'none'}</strong>
      ) : (
        <>
          You chose <ModelMark model={preferred} models={models} />{' '}
          <strong>
            <bdi>{preferred}</bdi>
          </strong>
        </>
      )}
      {blind && ', blind'}
      {reason !== null && (
        <>
          :{' '}
          <q class="choice-reason">
            <bdi>{reason}</bdi>
          </q>
        </>
      )}
    </>
  );
}

function Reason({
  stored,
  kept: { preferred, blind, reason },
  onDone,
}: Pick<ChosenProps, 'stored' | 'kept'> & { onDone: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    await choose(stored, { preferred, blind, ...(text !== '' && { reason: text }) });
    if (choiceIn(stored).problem.peek() === '') onDone();
  };
  return (
    <form class="choice-form" onSubmit={(event) => void save(event)}>
      <input
        ref={field}
        type="text"
        aria-label="Reason"
        placeholder="Why is it better?"
        maxLength={MAX_REASON_CHARACTERS}
        defaultValue={reason ?? ''}
        dir="auto"
      />
      <button type="submit">Save</button>
      <button type="button" class="button-quiet" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}

/**
 * Earlier choices between these models, and the cost of each. A figure that cannot be had is left out: the choice
 * itself is kept.
 */
function Experience({ evalId, models, all }: { evalId: string; models: readonly string[]; all: readonly string[] }) {
  const rates = useLoaded((signal) => client().preferences({ models }, { signal }), [evalId]).state.value;
  const costs = useLoaded(
    (signal) => client().evals.projection(evalId, { calls_per_month: CALLS_PER_MONTH }, { signal }),
    [evalId],
  ).state.value;
  const pairs = rates.kind === 'loaded' ? pairRates(rates.value) : [];
  const months =
    costs.kind === 'loaded'
      ? costs.value.models.flatMap(({ model, months: [month] }) =>
          month === undefined ? [] : [{ model, exact: month.monthly_charge_usd }],
        )
      : [];
  return (
    <dl class="choice-figures">
      {pairs.length > 0 && (
        <div>
          <dt>So far</dt>
          <dd>
            {pairs.slice(0, 3).map((rate) => (
              <span key={`${rate.better} ${rate.other}`}>
                <PairRateText rate={rate} models={all} />
              </span>
            ))}
          </dd>
        </div>
      )}
      {months.length > 0 && (
        <div>
          <dt>{groupDigits(CALLS_PER_MONTH)} such calls a month</dt>
          <dd>
            {months.map(({ model, exact }) => (
              <span key={model}>
                <ModelName model={model} models={all} />{' '}
                <data value={exact} title={`$${exact}`}>
                  {monthText(exact)}
                </data>
              </span>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
