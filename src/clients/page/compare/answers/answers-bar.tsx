import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { toApiJson } from '../../../client/amount-text';
import type { Eval } from '../../../client/client';
import { cheapestPassing } from '../../../client/lead';
import { CodeDialog, ShareDialog } from '../../chunks';
import { CopyButton } from '../../parts/copy-button';
import { MoreMenu } from '../../parts/more-menu';
import { prefs, setPrefs } from '../../prefs';
import { evalPath } from '../../routes';
import { comparable } from '../differences/difference-view';
import type { ColumnState } from '../run/run';
import type { AnswerActions, BarAction } from './answer-actions';
import { useColumnStates } from './model-answers';
import { summaryOf, withoutDetails } from './summary';

const ID = 'bar-actions';

interface BarActionsProps {
  columns: readonly ReadonlySignal<ColumnState>[];
  /** How many models answer. */
  models: number;
  stored: Eval | undefined;
  actions: AnswerActions;
  isDifferent: boolean;
  onDifferences: () => void;
}

/**
 * All actions on the answers: beside each other where there is room, in a menu on the phone. It is a popover, so that
 * Escape and a touch elsewhere close it.
 */
export function BarActions({ columns, models, stored, actions, isDifferent, onDifferences }: BarActionsProps) {
  const menu = useRef<HTMLDivElement>(null);
  const dialog = useSignal<'share' | 'code' | undefined>(undefined);
  const closeDialog = (): void => {
    dialog.value = undefined;
  };
  // Closes before the action: the focus returns to the button of the menu, where a dialog restores it.
  const close = (): void => {
    if (menu.current?.matches(':popover-open') === true) menu.current.hidePopover();
  };
  return (
    <>
      <button
        type="button"
        class="bar-menu-button button-quiet"
        popovertarget={ID}
        aria-label="Actions"
        title="Actions"
      >
        ⋯
      </button>
      <div id={ID} class="bar-actions" popover="auto" ref={menu} onClickCapture={close}>
        {stored !== undefined && (
          <EvalActions
            stored={stored}
            actions={actions}
            onOpen={(name) => {
              dialog.value = name;
            }}
          />
        )}
        <Tools columns={columns} models={models} isDifferent={isDifferent} onDifferences={onDifferences} />
      </div>
      {/* A dialog within a closed menu would not be shown. */}
      {stored !== undefined && dialog.value === 'share' && (
        <ShareDialog subject={stored.eval_id} onClose={closeDialog} />
      )}
      {stored !== undefined && dialog.value === 'code' && <CodeDialog stored={stored} onClose={closeDialog} />}
    </>
  );
}

/** How the answers are shown: their differences, width and format. */
function Tools({ columns, models, isDifferent, onDifferences }: Omit<BarActionsProps, 'stored' | 'actions'>) {
  return (
    <div class="answers-tools">
      {comparable(useColumnStates(columns)).length > 1 && (
        <button type="button" aria-pressed={isDifferent} onClick={onDifferences}>
          Differences
        </button>
      )}
      {models > 2 && (
        <button
          type="button"
          class="density-choice"
          aria-pressed={prefs.value.compact}
          title="Narrow columns with fewer figures"
          onClick={() => setPrefs({ compact: !prefs.peek().compact })}
        >
          Compact
        </button>
      )}
      <FormatChoice />
    </div>
  );
}

/** The actions on a stored eval: the next sensible one, then the others in their order, each a line. */
function EvalActions({
  stored,
  actions: { again, more = [] },
  onOpen,
}: {
  stored: Eval;
  actions: AnswerActions;
  onOpen: (dialog: 'share' | 'code') => void;
}) {
  const main = [...(again === undefined ? [] : [again]), ...more.filter(({ isMain }) => isMain === true)];
  const code = { label: 'Code', title: 'Show this run as curl, TypeScript, Python and mcs', run: () => onOpen('code') };
  return (
    <div class="summary-actions">
      <button
        type="button"
        class="button-primary"
        title="Create a link for people without a key"
        onClick={() => onOpen('share')}
      >
        Share
      </button>
      <ActionButtons actions={main} />
      <MoreMenu>
        <CopyButton
          class=""
          text={() => `${location.origin}${evalPath(stored.eval_id)}`}
          what="Link"
          title="Copy the address of this eval"
        >
          Link
        </CopyButton>
        <CopyButton
          class=""
          text={() => toApiJson(withoutDetails(stored), 2)}
          what="JSON"
          title="Copy the JSON of this eval"
        >
          Copy
        </CopyButton>
        <ActionButtons actions={[code, ...more.filter(({ isMain }) => isMain !== true)]} />
      </MoreMenu>
    </div>
  );
}

function ActionButtons({ actions }: { actions: readonly BarAction[] }) {
  return (
    <>
      {actions.map(({ label, title, run, isDanger = false }) => (
        <button key={label} type="button" class={isDanger ? 'button-danger' : undefined} title={title} onClick={run}>
          {label}
        </button>
      ))}
    </>
  );
}

/** Text or formatted, for all answers. */
function FormatChoice() {
  const { formatted } = prefs.value;
  return (
    <div class="format-choice" role="group" aria-label="Show answers as">
      <button type="button" aria-pressed={!formatted} onClick={() => setPrefs({ formatted: false })}>
        Text
      </button>
      <button type="button" aria-pressed={formatted} onClick={() => setPrefs({ formatted: true })}>
        Formatted
      </button>
    </div>
  );
}

interface SummaryLineProps {
  columns: readonly ReadonlySignal<ColumnState>[];
  stored: Eval | undefined;
  /** Brings an answer into view, by its position from 0. */
  onGoTo: (position: number) => void;
}

/** The result of the run in one line. A failure in a hidden column is named here, with a link to the column. */
export function SummaryLine({ columns, stored, onGoTo }: SummaryLineProps) {
  const { count, failed, cost, charge, duration } = summaryOf(useColumnStates(columns), stored);
  const [firstFailed] = failed;
  return (
    <p class="summary-figures">
      <span>
        {count}
        {!count.endsWith('so far') && <span class="summary-word"> answered</span>}
      </span>
      {firstFailed !== undefined && (
        <button type="button" class="summary-failed" onClick={() => onGoTo(firstFailed)}>
          <i aria-hidden="true">▲</i> {failed.length} failed ›
        </button>
      )}
      {cost !== undefined && (
        <span>
          {cost.text.startsWith('$') && <span class="summary-word">cost </span>}
          <span title={cost.title}>{cost.text}</span>
        </span>
      )}
      {charge !== undefined && <span title={charge.title}>{charge.text}</span>}
      {cheapestPassing(stored) === null && <span>None passes</span>}
      {duration !== undefined && <span class="summary-duration">{duration}</span>}
    </p>
  );
}
