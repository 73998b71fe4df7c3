import type { EvalSummary } from '../../client/client';
import { Amount } from '../parts/amount';
import { LocalTime } from '../parts/local-time';
import { evalPath } from '../routes';
import { chargeFigure, promptLine } from './history-lines';

/** One eval of the history: a link to it; on the phone a card. */
export function HistoryLine({ summary }: { summary: EvalSummary }) {
  const { eval_id: id, prompt, models, created_at: created, meta, details } = summary;
  const failed = details?.failed_models ?? [];
  return (
    <li>
      <a class="history-line" href={evalPath(id)}>
        <LocalTime timestamp={created} />
        <span class="history-prompt" dir="auto">{promptLine(prompt)}</span>
        <span class="history-models" title={models.join(', ')}><bdi>{models.join(', ')}</bdi></span>
        <span class="history-failed">{failed.length > 0 && <span title={`Failed: ${failed.join(', ')}`}>▲ {failed.length}<span class="history-label"> failed</span></span>}</span>
        <span class="history-fastest">{meta.fastest_model !== '' && <><span class="history-label">fastest </span><bdi>{meta.fastest_model}</bdi></>}</span>
        <span class="history-cost"><span class="history-label">cost </span><Amount exact={meta.total_cost_usd} /></span>
        <Charge summary={summary} />
      </a>
    </li>
  );
}

function Charge({ summary }: { summary: EvalSummary }) {
  const charge = chargeFigure(summary);
  if (charge === 'free') return <span class="history-charge history-free">free</span>;
  return <span class="history-charge">{charge !== undefined && <><span class="history-label">charged </span><Amount exact={charge.exact} /></>}</span>;
}
