import type { Eval } from '../../client/client';
import { Fold } from '../parts/fold';
import { hasScope } from '../session';
import { definitionsOf } from './evaluated';
import { Agreement, EvaluationSummary } from './evaluation-parts';

/** The findings of an eval, above its answers: its samples and checks and, on request, which models agree. */
export function Findings({ stored }: { stored: Eval }) {
  const answered = new Set(stored.results.flatMap(({ model, error }) => (error === undefined ? [model] : []))).size;
  const hasSummary = stored.results.length > stored.models.length && stored.statistics !== undefined;
  return (
    <div class="findings">
      {(hasSummary || definitionsOf(stored).length > 0) && <EvaluationSummary stored={stored} />}
      {answered > 1 && hasScope('evals:read') && (
        <Fold class="finding" summary={<h2>Do the models agree?</h2>}>
          {() => <Agreement evalId={stored.eval_id} />}
        </Fold>
      )}
    </div>
  );
}
