import type { Eval, Statistics } from '../../client/client';
import { leadWords } from '../../client/plain-words';
import { ModelMark, ModelName } from '../compare/model-mark';
import { Help } from './help';

interface PlainStatisticsProps {
  stored: Eval;
  statistics: Statistics;
  /** How many there are. */
  checks: number;
}

/** The findings of the samples, in a sentence each: who was fastest, who was cheapest, whose answers passed. */
export function PlainStatistics({ stored, statistics, checks }: PlainStatisticsProps) {
  const leads = (['fastest', 'cheapest'] as const).flatMap((kind) => leadWords(stored, kind) ?? []);
  return (
    <ul class="leaders" aria-label="What the samples say">
      {leads.map(({ model, claim, luck }) => (
        <li key={claim}>
          {model !== undefined && (
            <>
              <ModelMark model={model} models={stored.models} />{' '}
              <strong>
                <bdi>{model}</bdi>
              </strong>{' '}
            </>
          )}
          {claim}{' '}
          {luck !== '' && (
            <span class="leaders-luck">
              {luck}{' '}
              <Help about="luck" anchor="luck">
                Rounds differ by chance. “Likely” means that equal models show such a lead in fewer than 1 of 20
                comparisons, “very likely” in fewer than 1 of 100.
              </Help>
            </span>
          )}
        </li>
      ))}
      {checks > 0 && <Passed statistics={statistics} checks={checks} models={stored.models} />}
    </ul>
  );
}

function Passed({
  statistics,
  checks,
  models,
}: Pick<PlainStatisticsProps, 'statistics' | 'checks'> & { models: readonly string[] }) {
  return (
    <li>
      Passed {checks === 1 ? 'the check' : checks === 2 ? 'both checks' : `all ${checks} checks`}:{' '}
      {statistics.models.map(({ model, checks: passed }) => (
        <span key={model} class="leaders-passed">
          {' '}
          <ModelName model={model} models={models} />{' '}
          {passed === undefined || passed.of === 0 ? 'no answer' : `${passed.passed} of ${passed.of}`}
        </span>
      ))}
    </li>
  );
}
