import { type Signal, useSignal } from '@preact/signals';
import type { Experiment, ExperimentSummary, SharedExperiment } from '../../client/client';
import { ShareDialog } from '../chunks';
import { copyText } from '../parts/copy-button';
import { MoreMenu } from '../parts/more-menu';
import { LocalTime } from '../parts/values';
import { problemOf } from '../requests';
import { votePath } from '../routes';
import { client, hasScope } from '../session';
import { saveFile } from '../usage/save-file';
import { DecideDialog } from './decision-dialogs';
import { JudgeDialog } from './judge-dialog';
import { SureDialog } from './sure-dialog';

type Decision = NonNullable<Experiment['decision']> | NonNullable<SharedExperiment['decision']>;

/** The decision or the recommendation in one sentence, and beside a decision what was found. */
export function DecisionSentence({ decision, summary }: { decision: Decision | null; summary: ExperimentSummary }) {
  const { recommendation, judgment, headline } = summary;
  const found = (judgment && recommendation?.model === null ? undefined : recommendation?.words) ?? headline;
  if (decision === null)
    return (
      <p class="experiment-headline" data-final={summary.final}>
        {found}
      </p>
    );
  const { model, reason, decided_at: at } = decision;
  return (
    <>
      <p class="experiment-headline" data-final="true">
        Decided: {model === 'none' ? 'none of the models' : <bdi>{model}</bdi>}
      </p>
      {reason !== null && <p dir="auto">{reason}</p>}
      <p class="quiet">
        <LocalTime timestamp={at} />
        {'decided_by' in decision && `, by ${decision.decided_by}`}. {found}
      </p>
    </>
  );
}

/** The loss that the reader accepts; it changes the recommendation at once. */
export function Tolerance({ tolerance }: { tolerance: Signal<number> }) {
  return (
    <label class="tolerance">
      Accept up to{' '}
      <input
        type="number"
        min={0}
        max={20}
        value={Math.round(100 * tolerance.value)}
        onInput={({ currentTarget: { valueAsNumber: points } }) => {
          if (points >= 0 && points <= 20) tolerance.value = points / 100;
        }}
      />{' '}
      points less
    </label>
  );
}

interface DecisionActionsProps {
  experiment: Experiment;
  recommended: string | null | undefined;
  tolerance: number;
  onChanged: (changed: Experiment) => void;
}

type Opened = 'decide' | 'share' | 'judge' | 'erase' | undefined;

/** The acts on an experiment that has ended: the next one is filled, and Erase is last. */
export function DecisionActions({ experiment, recommended, tolerance, onChanged }: DecisionActionsProps) {
  const { experiment_id: id, decision } = experiment;
  const opened = useSignal<Opened>(undefined);
  const problem = useSignal('');
  const act = async (action: () => Promise<unknown>): Promise<void> => {
    problem.value = await problemOf(action);
  };
  const change = (action: () => Promise<unknown>): void =>
    void act(async () => {
      await action();
      opened.value = undefined;
      onChanged(await client().experiments.get(id));
    });
  const close = (): void => void ([opened.value, problem.value] = [undefined, '']);
  return (
    <div class="experiment-actions">
      <MainActions experiment={experiment} opened={opened} />
      <MoreActions id={id} tolerance={tolerance} opened={opened} act={act} />
      {opened.value === undefined && (
        <span class="problem" role="alert">
          {problem.value}
        </span>
      )}
      {opened.value === 'share' && <ShareDialog subject={id} takesVotes={experiment.judge !== null} onClose={close} />}
      {opened.value === 'judge' && <JudgeDialog experiment={experiment} onClose={close} />}
      {opened.value === 'decide' && (
        <DecideDialog
          experiment={experiment}
          proposed={decision?.model ?? recommended ?? 'none'}
          problem={problem.value}
          onDecide={(model, reason) =>
            change(() => client().experiments.decide(id, { model, tolerance, ...(reason !== '' && { reason }) }))
          }
          onWithdraw={() => change(() => client().experiments.undecide(id))}
          onClose={close}
        />
      )}
      {opened.value === 'erase' && (
        <SureDialog
          title="Erase this experiment?"
          text="Prompt, inputs and answers are deleted for good, and its links end. Figures, charges and decision stay."
          act="Erase"
          problem={problem.value}
          onAct={() => change(() => client().experiments.erase(id))}
          onClose={close}
        />
      )}
    </div>
  );
}

/** Judges are asked, not decided for: after their verdicts, people vote. */
function MainActions({ experiment, opened }: { experiment: Experiment; opened: Signal<Opened> }) {
  const { experiment_id: id, decision, judge } = experiment;
  const isDecided = decision !== null;
  const mayChange = hasScope('experiments');
  const mayDecide = mayChange && judge === null;
  return (
    <>
      {mayChange && judge !== null && (
        <a class="button-link" href={votePath(id)}>
          Vote
        </a>
      )}
      {mayDecide && (
        <button type="button" class={isDecided ? '' : 'button-primary'} onClick={() => void (opened.value = 'decide')}>
          {isDecided ? 'Change the decision …' : 'Decide …'}
        </button>
      )}
      <button type="button" class={isDecided ? 'button-primary' : ''} onClick={() => void (opened.value = 'share')}>
        Share
      </button>
      {mayDecide && (
        <>
          <button type="button" onClick={() => void (opened.value = 'judge')}>
            Ask a judge …
          </button>
          <a class="button-like" href={`/experiments/new?after=${id}`}>
            Try another prompt
          </a>
        </>
      )}
    </>
  );
}

interface MoreActionsProps {
  id: string;
  tolerance: number;
  opened: Signal<Opened>;
  act: (action: () => Promise<unknown>) => Promise<void>;
}

function MoreActions({ id, tolerance, opened, act }: MoreActionsProps) {
  const copy = async () => copyText(await client().experiments.report(id, { tolerance }), 'Report');
  return (
    <MoreMenu>
      <button type="button" onClick={() => void act(copy)}>
        Copy as Markdown
      </button>
      <button type="button" onClick={() => void act(() => saveRows(id))}>
        Save rows as CSV
      </button>
      <button type="button" onClick={() => print()}>
        Print
      </button>
      {hasScope('experiments') && (
        <button type="button" class="button-danger" onClick={() => void (opened.value = 'erase')}>
          Erase …
        </button>
      )}
    </MoreMenu>
  );
}

async function saveRows(id: string): Promise<void> {
  const parts: string[] = [];
  for await (const part of client().experiments.rowsFile(id, 'csv')) parts.push(part);
  saveFile(`${id}.csv`, 'text/csv', parts.join(''));
}
