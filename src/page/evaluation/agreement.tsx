import { DASH } from '../compare/figures';
import { ModelMark } from '../compare/model-mark';
import { FailedLoad } from '../parts/failed-load';
import { Skeleton } from '../parts/skeleton';
import { client } from '../session';
import { useLoaded } from '../use-loaded';
import { agreementOf, groupSentence, type AgreementView, type Pair } from './agreements';
import { percentText } from './numbers';

/** Which models of an eval say the same, asked of the service. */
export function Agreement({ evalId }: { evalId: string }) {
  const { state, retry } = useLoaded((signal) => client().evals.agreement(evalId, { signal }), [evalId]);
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={3} />;
  return loaded.kind === 'failed' ? <FailedLoad error={loaded.error} onRetry={retry} /> : <AgreementMatrix answer={loaded.value} />;
}

/** Which models say the same, as the service has said it. */
export function AgreementMatrix({ answer }: { answer: unknown }) {
  const view = agreementOf(answer);
  if (view === undefined) return <p class="quiet">Fewer than two models answered with text.</p>;
  return (
    <>
      <p>{groupSentence(view)}</p>
      <div class="finding-scroller" role="region" aria-label="Agreement of the models" tabIndex={0}><Matrix view={view} /></div>
      <p class="finding-words">
        Two answers agree when they are the same JSON, the same number, or the same words, ignoring case and spacing. The second figure is the similarity of the texts; 100 % means identical.
        {view.matrix.some((row, index) => row[index]?.agree !== undefined) && ' The diagonal compares the answers of one model with each other.'}
      </p>
    </>
  );
}

function Matrix({ view: { models, matrix } }: { view: AgreementView }) {
  return (
    <table class="finding-table agreement">
      <caption class="visually-hidden">How often two models agree, and how similar their texts are</caption>
      <thead><tr><td />{models.map((model) => <th key={model} scope="col"><ModelMark model={model} models={models} /> {model}</th>)}</tr></thead>
      <tbody>
        {models.map((model, row) => (
          <tr key={model}><th scope="row"><ModelMark model={model} models={models} /> {model}</th>{models.map((other, column) => <Cell key={other} pair={matrix[row]?.[column]} isSelf={row === column} />)}</tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ pair, isSelf }: { pair: Pair | undefined; isSelf: boolean }) {
  const { agree, similarity } = pair ?? {};
  if (agree === undefined && similarity === undefined) return <td class="quiet">{DASH}</td>;
  const words = agree === 1 ? '✓ agree' : agree === 0 || agree === undefined ? 'differ' : `${percentText(agree)} agree`;
  return (
    <td data-self={isSelf} style={{ '--alike': similarity ?? 0 }}>
      <span class="finding-value">{words}</span>
      {similarity !== undefined && <span class="finding-range">{percentText(similarity)} similar</span>}
    </td>
  );
}
