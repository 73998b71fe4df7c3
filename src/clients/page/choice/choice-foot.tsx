import { choiceIn, NONE, TIE } from '../compare/choice';
import { Chosen } from './chosen';
import type { Judged } from '../compare/use-judged';

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
