import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useKeys } from '../keyboard';
import { prefs, setPrefs } from '../prefs';
import type { AnswerActions } from './answer-actions';
import { AnswerColumn, answerElement } from './answer-column';
import { AnswerStrip } from './answer-strip';
import { CopyByHand } from './clipboard';
import { DifferenceBar, goToChange } from './difference-bar';
import { firstPair, viewOf, type DifferenceView, type Pair } from './difference-view';
import type { AnswersSource } from './live-run';
import { MAX_MODELS } from './limits';
import { FormatChoice, SummaryLine } from './summary-line';
import { useColumnStates } from './use-column-states';
import { useEscape } from './use-escape';
import { useShownColumn } from './use-shown-column';

interface AnswersProps {
  source: AnswersSource;
  /** The limit that was sent, for answers that it cut before the first word. */
  maxTokens: number | undefined;
  actions: AnswerActions;
  /** Stands before the summary. */
  lead?: ComponentChildren;
  /** Stands above the answers and scrolls with them. */
  children?: ComponentChildren;
}

/** Answers side by side: of a run while it is watched, or of a stored eval. It takes the height that is left, and all its columns scroll together. */
export function Answers({ source: { columns, stored, startedAt }, maxTokens, actions, lead, children }: AnswersProps) {
  const expanded = useSignal<number | undefined>(undefined);
  const differences = useSignal<DifferenceView | undefined>(undefined);
  const states = useColumnStates(columns);
  const row = useRef<HTMLDivElement>(null);
  const shown = useShownColumn(row);
  const expand = (number: number | undefined): void => { expanded.value = number === expanded.value ? undefined : number; };
  const goTo = (number: number): void => {
    if (expanded.value !== undefined) expanded.value = number;
    // The column may have been hidden until now.
    requestAnimationFrame(() => showColumn(number));
  };
  const showPair = (pair: Pair | undefined): void => { differences.value = pair === undefined ? undefined : viewOf(pair, states); };
  const toggleDifferences = (): void => showPair(differences.value === undefined ? firstPair(states) : undefined);
  useAnswerKeys({ goTo, expand: () => expand(focusedNumber() ?? expanded.value ?? 1), differences, toggleDifferences });
  useEscape(() => {
    if (expanded.value === undefined) return false;
    expanded.value = undefined;
    return true;
  });
  const { pair } = differences.value ?? {};
  return (
    <div class="answers" data-expanded={expanded.value !== undefined}>
      <div class="answers-bar">
        {lead}
        <SummaryLine columns={columns} stored={stored.value} actions={actions} onGoTo={goTo} />
        <div class="answers-tools">
          <DifferenceBar columns={states} view={differences.value} onToggle={toggleDifferences} onPair={showPair} />
          <FormatChoice />
        </div>
      </div>
      {columns.length > 1 && <AnswerStrip columns={columns} startedAt={startedAt} current={expanded.value ?? shown} onGoTo={goTo} />}
      <div class="answers-scroller">
        <div class="answers-content" style={{ '--count': columns.length }}>
          <div class="answers-lead">{children}</div>
          <div class="answers-row" ref={row}>
            {columns.map((column, index) => (
              <AnswerColumn
                key={index} column={column} number={index + 1} stored={stored.value} startedAt={startedAt} maxTokens={maxTokens} actions={actions}
                isExpanded={expanded.value === index + 1} onExpand={() => expand(index + 1)}
                differences={pair?.other === index ? differences.value : undefined} isBase={pair?.base === index}
              />
            ))}
          </div>
        </div>
      </div>
      <CopyByHand />
    </div>
  );
}

/** Brings an answer into view and gives it the focus. */
function showColumn(number: number): void {
  const element = answerElement(number);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest', inline: 'start' });
}

/** The number of the answer that holds the focus. */
function focusedNumber(): number | undefined {
  const id = document.activeElement?.closest('.answer')?.id;
  return id === undefined ? undefined : Number(id.replace('answer-', ''));
}

interface KeyTargets {
  goTo: (number: number) => void;
  expand: () => void;
  differences: { value: DifferenceView | undefined };
  toggleDifferences: () => void;
}

function useAnswerKeys({ goTo, expand, differences, toggleDifferences }: KeyTargets): void {
  useKeys({
    ...Object.fromEntries(Array.from({ length: MAX_MODELS }, (_, i) => [String(i + 1), () => goTo(i + 1)])),
    e: expand,
    d: toggleDifferences,
    n: () => { if (differences.value !== undefined) goToChange(differences.value, 1); },
    t: () => setPrefs({ formatted: !prefs.value.formatted }),
  });
}
