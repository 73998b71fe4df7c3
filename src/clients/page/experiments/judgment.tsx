import type { Experiment, ExperimentSummary, Judgment } from '../../client/client';
import { DASH } from '../compare/answers/figures';
import { FindingTable } from '../parts/scroller';
import { experimentPath } from '../routes';
import { correctedRows, examinationRows, type JudgmentRow, peopleText, ratesOf } from './judge-words';
import { experimentStateText } from './words';

/** Says which answers are judged, and by which criterion. */
export function JudgeIntro({ judge: { of, kind, criterion, baseline } }: { judge: NonNullable<Experiment['judge']> }) {
  return (
    <p dir="auto" class="experiment-text">
      Judged are the answers of <a href={experimentPath(of)}>this experiment</a>
      {kind === 'pairwise' && ', two at a time, in both orders'}
      {baseline !== null && `, against ${baseline}`}: {criterion ?? DASH}
    </p>
  );
}

/** The rates of the judged models, and reasons to believe the judges. */
export function JudgmentTables({ judgment }: { judgment: Judgment }) {
  const { judges, people } = judgment;
  const { heads, rows } = ratesOf(judgment);
  return (
    <>
      <Table title="Rates" heads={['Model', ...heads]} rows={rows} />
      <Table
        title="Can the verdicts be believed?"
        heads={['Question', ...judges.map(({ model }) => model)]}
        rows={examinationRows(judges)}
      />
      {people && (
        <>
          <p>{peopleText(people)}</p>
          <Table title="Rates corrected by votes" heads={['Model', 'Rate']} rows={correctedRows(people)} />
        </>
      )}
    </>
  );
}

function Table({ title, heads, rows }: { title: string; heads: readonly string[]; rows: readonly JudgmentRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="finding" aria-label={title}>
      <h2>{title}</h2>
      <FindingTable label={`Table: ${title}`} class="judgment" heads={heads}>
        {rows.map(([name, meaning, texts]) => (
          <tr key={name}>
            <th scope="row">
              {name}
              <span class="finding-range">{meaning}</span>
            </th>
            {texts.map((text = DASH, index) => (
              <td key={index}>{text}</td>
            ))}
          </tr>
        ))}
      </FindingTable>
    </section>
  );
}

/** The experiments of judges about these answers. */
export function JudgeLinks({ summary }: { summary: ExperimentSummary | undefined }) {
  if (summary === undefined || summary.judged_by.length === 0) return null;
  return (
    <section class="finding" aria-label="Judges of these answers">
      <h2>Judges of these answers</h2>
      <ul class="experiment-list">
        {summary.judged_by.map(({ experiment_id: id, name, models, state, headline }) => (
          <li key={id}>
            <a href={experimentPath(id)}>{name ?? models.join(', ')}</a>:{' '}
            {headline ?? experimentStateText({ state, reason: null })}
          </li>
        ))}
      </ul>
    </section>
  );
}
