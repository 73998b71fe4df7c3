import type { Agreement as AgreementAnswer } from '../../client/client';
import { DASH } from '../compare/answers/figures';
import { ModelName } from '../compare/models/model-mark';
import { Skeleton } from '../parts/notices';
import { FailedLoad } from '../parts/placeholders';
import { Scroller } from '../parts/scroller';
import { useLoaded } from '../requests';
import { client } from '../session';
import { percentText } from './numbers';

/** Which models of an eval say the same, asked of the service. */
export function Agreement({ evalId }: { evalId: string }) {
  const { state, retry } = useLoaded((signal) => client().evals.agreement(evalId, { signal }), [evalId]);
  const loaded = state.value;
  if (loaded.kind === 'loading') return <Skeleton lines={3} />;
  return loaded.kind === 'failed' ? (
    <FailedLoad error={loaded.error} onRetry={retry} />
  ) : (
    <AgreementMatrix answer={loaded.value} />
  );
}

/** Which models say the same, as the service has said it. */
export function AgreementMatrix({ answer }: { answer: AgreementAnswer }) {
  return (
    <>
      <p>{groupSentence(answer)}</p>
      <Scroller label="Agreement of the models">
        <Matrix answer={answer} />
      </Scroller>
      <p class="finding-words">
        Two answers agree when they are the same JSON, the same number, or the same words, ignoring case and spacing.
        The second figure is the similarity of the texts; 100 % means identical.
        {answer.matrix.some((row, index) => row[index]) &&
          ' The diagonal compares the answers of one model with each other.'}
      </p>
    </>
  );
}

function Matrix({ answer: { models, matrix } }: { answer: AgreementAnswer }) {
  return (
    <table class="finding-table agreement">
      <caption class="visually-hidden">How often two models agree, and how similar their texts are</caption>
      <thead>
        <tr>
          <td />
          {models.map((model) => (
            <th key={model} scope="col">
              <ModelName model={model} models={models} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {models.map((model, row) => (
          <tr key={model}>
            <th scope="row">
              <ModelName model={model} models={models} />
            </th>
            {models.map((other, column) => (
              <Cell key={other} pair={matrix[row]?.[column]} isSelf={row === column} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Models that failed have no pairs. */
function Cell({ pair, isSelf }: { pair: AgreementAnswer['matrix'][number][number] | undefined; isSelf: boolean }) {
  if (!pair) return <td class="quiet">{DASH}</td>;
  const { agree, similarity } = pair;
  return (
    <td data-self={isSelf} style={{ '--alike': similarity }}>
      <span class="finding-value">
        {agree === 1 ? 'agree' : agree === 0 ? 'differ' : `${percentText(agree)} agree`}
      </span>
      <span class="finding-range">{percentText(similarity)} similar</span>
    </td>
  );
}

/** British English has no comma before the last name. */
const LIST = new Intl.ListFormat('en-GB');

/** Who agrees with whom, in a sentence. */
export function groupSentence({ models, groups }: Pick<AgreementAnswer, 'models' | 'groups'>): string {
  const [largest] = [...groups].sort((a, b) => b.length - a.length);
  if (largest === undefined || largest.length < 2) return 'No two models agree.';
  if (largest.length === models.length) return 'All models agree.';
  const others = groups.filter((group) => group !== largest && group.length > 1);
  return `${[largest, ...others].map((group) => `${LIST.format(group)} agree`).join('; ')}.`;
}
