import type { SharedExperiment } from '../../client/client';
import { DecisionSentence } from '../experiments/decision';
import { ExperimentFindings } from '../experiments/findings';
import { Matrix } from '../experiments/matrix';
import { byPlace, experimentTitle } from '../experiments/words';
import { ScreenTitle } from '../parts/screen-title';
import { LocalTime } from '../parts/values';

/** The decision page of an experiment that somebody shares by a link, to read and to print. */
export function SharedExperimentScreen({ shared, token }: { shared: SharedExperiment; token: string }) {
  const { summary, decision, models, name, prompt, rows, texts, finished_at: finished, expires_at: expires } = shared;
  const judge = summary.judgment && { judged: summary.models.map(({ model }) => model) };
  return (
    <section class="experiments">
      <ScreenTitle title={experimentTitle({ name, models, judge })} />
      <DecisionSentence decision={decision} summary={summary} />
      {shared.votes && (
        <p>
          <a class="button-link" href={`/shared/${encodeURIComponent(token)}/vote`}>
            Vote
          </a>
        </p>
      )}
      <ExperimentFindings summary={summary} decision={decision} />
      {prompt !== null && (
        <section class="finding" aria-label="Prompt">
          <h2>Prompt</h2>
          <p dir="auto" class="experiment-text">
            {prompt}
          </p>
        </section>
      )}
      {rows.length > 0 && (
        <section class="rows" aria-label="Rows in which models differ">
          <h2>Rows in which models differ</h2>
          <Matrix pages={[rows]} models={byPlace(models, summary.ranking, (model) => model)} />
        </section>
      )}
      <p class="quiet">
        {summary.rows.toLocaleString('en-US')} rows
        {finished !== null && (
          <>
            , ended <LocalTime timestamp={finished} />
          </>
        )}
        . Someone shared this with you{texts ? '' : ' without its texts'}; the link expires{' '}
        <LocalTime timestamp={expires} />.
      </p>
    </section>
  );
}
