import { useSignal } from '@preact/signals';
import type { EvalSummary } from '../../client/client';
import { ModelMark } from '../compare/models/model-mark';
import { Star } from '../eval/eval-facts';
import { isNothing } from '../money';
import { Amount, LocalTime } from '../parts/values';
import { evalPath } from '../routes';
import { promptLine } from './history-lines';
import { toggleStar } from './history-state';

/** One eval of the history: a link to it; on the phone a card. */
export function HistoryLine({ summary }: { summary: EvalSummary }) {
  const { eval_id: id, prompt, models, created_at: created, meta, details } = summary;
  const failed = details?.failed_models ?? [];
  const problem = useSignal('');
  const { note, starred = false } = summary;
  return (
    <li class="history-item">
      <Star
        starred={starred}
        label={`Star: ${promptLine(prompt).slice(0, 60)}`}
        onToggle={() =>
          void toggleStar(summary).then((text) => {
            problem.value = text;
          })
        }
      />
      <a class="history-line" href={evalPath(id)}>
        <LocalTime timestamp={created} />
        <span class="history-prompt" dir="auto">
          {promptLine(prompt)}
        </span>
        <Models models={models} />
        <span class="history-failed">
          {failed.length > 0 && (
            <span title={`Failed: ${failed.join(', ')}`}>
              ▲ {failed.length}
              <span class="history-label"> failed</span>
            </span>
          )}
        </span>
        <Cost exact={meta.total_cost_usd} />
        <Charge details={details} />
        {typeof note === 'string' && (
          <span class="history-note">
            <bdi>{promptLine(note)}</bdi>
          </span>
        )}
      </a>
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </li>
  );
}

function Models({ models }: Pick<EvalSummary, 'models'>) {
  return (
    <span class="history-models" title={models.join(', ')}>
      <span class="history-marks">
        {models.map((model) => (
          <ModelMark key={model} model={model} models={models} />
        ))}
      </span>{' '}
      <bdi>{models.join(', ')}</bdi>
    </span>
  );
}

function Cost({ exact }: { exact: string }) {
  return (
    <span class="history-cost">
      {isNothing(exact) ? (
        'costs nothing'
      ) : (
        <>
          <span class="history-label">cost </span>
          <Amount exact={exact} />
        </>
      )}
    </span>
  );
}

function Charge({ details }: Pick<EvalSummary, 'details'>) {
  if (details?.free === true) return <span class="history-charge history-free">free</span>;
  return (
    <span class="history-charge">
      {details !== undefined && !isNothing(details.charge_usd) && (
        <>
          <span class="history-label">charged </span>
          <Amount exact={details.charge_usd} />
        </>
      )}
    </span>
  );
}
