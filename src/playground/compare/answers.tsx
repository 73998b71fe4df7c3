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
import type { ColumnState } from './run';
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
export function Answers({ source, maxTokens, actions, lead, children }: AnswersProps) {
  const { columns, stored, startedAt } = source;
  const states = useColumnStates(columns);
  const row = useRef<HTMLDivElement>(null);
  const shown = useShownColumn(row);
  const expansion = useExpansion();
  const differences = useDifferences(states);
  useAnswerKeys(expansion, differences);
  return (
    <div class="answers" data-expanded={expansion.number !== undefined}>
      <div class="answers-bar">
        {lead}
        <SummaryLine columns={columns} stored={stored.value} actions={actions} onGoTo={expansion.goTo} />
        <div class="answers-tools">
          <DifferenceBar columns={states} view={differences.view} onToggle={differences.toggle} onPair={differences.show} />
          <FormatChoice />
        </div>
      </div>
      {columns.length > 1 && <AnswerStrip columns={columns} startedAt={startedAt} current={expansion.number ?? shown} onGoTo={expansion.goTo} />}
      <div class="answers-scroller">
        <div class="answers-content" style={{ '--count': columns.length }}>
          <div class="answers-lead">{children}</div>
          <div class="answers-row" ref={row}>
            {columns.map((column, index) => (
              <AnswerColumn
                key={index} column={column} number={index + 1} stored={stored.value} startedAt={startedAt} maxTokens={maxTokens} actions={actions}
                isExpanded={expansion.number === index + 1} onExpand={() => expansion.toggle(index + 1)}
                differences={differences.view?.pair.other === index ? differences.view : undefined} isBase={differences.view?.pair.base === index}
              />
            ))}
          </div>
        </div>
      </div>
      <CopyByHand />
    </div>
  );
}

/** The answer that is shown alone, by its number from 1. */
interface Expansion {
  number: number | undefined;
  toggle: (number: number) => void;
  /** Brings an answer into view, in the position of the one that is shown alone. */
  goTo: (number: number) => void;
}

function useExpansion(): Expansion {
  const expanded = useSignal<number | undefined>(undefined);
  useEscape(() => {
    if (expanded.value === undefined) return false;
    expanded.value = undefined;
    return true;
  });
  return {
    number: expanded.value,
    toggle: (number) => { expanded.value = number === expanded.value ? undefined : number; },
    goTo: (number) => {
      if (expanded.value !== undefined) expanded.value = number;
      // The column may have been hidden until now.
      requestAnimationFrame(() => showColumn(number));
    },
  };
}

interface ShownDifferences {
  view: DifferenceView | undefined;
  toggle: () => void;
  show: (pair: Pair | undefined) => void;
}

function useDifferences(states: readonly ColumnState[]): ShownDifferences {
  const view = useSignal<DifferenceView | undefined>(undefined);
  const show = (pair: Pair | undefined): void => {
    view.value = pair === undefined ? undefined : viewOf(pair, states);
    if (pair !== undefined) requestAnimationFrame(() => scrollSideways(answerElement(pair.other + 1)));
  };
  return { view: view.value, show, toggle: () => show(view.value === undefined ? firstPair(states) : undefined) };
}

/** Brings an answer into view and gives it the focus. */
function showColumn(number: number): void {
  const element = answerElement(number);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest', inline: 'start' });
}

/** Scrolls the row of answers, and nothing up or down, until this one is in view. */
function scrollSideways(answer: HTMLElement | null): void {
  const scroller = [answer?.closest('.answers-row'), answer?.closest('.answers-scroller')].find((element) => element && element.scrollWidth > element.clientWidth);
  if (!answer || !scroller) return;
  const [inner, outer] = [answer.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (inner.left < outer.left || inner.right > outer.right) scroller.scrollBy({ left: inner.left - outer.left });
}

/** The number of the answer that holds the focus. */
function focusedNumber(): number | undefined {
  const id = document.activeElement?.closest('.answer')?.id;
  return id === undefined ? undefined : Number(id.replace('answer-', ''));
}

function useAnswerKeys({ number, goTo, toggle }: Expansion, differences: ShownDifferences): void {
  useKeys({
    ...Object.fromEntries(Array.from({ length: MAX_MODELS }, (_, i) => [String(i + 1), () => goTo(i + 1)])),
    e: () => toggle(focusedNumber() ?? number ?? 1),
    d: differences.toggle,
    n: () => { if (differences.view !== undefined) goToChange(differences.view, 1); },
    t: () => setPrefs({ formatted: !prefs.value.formatted }),
  });
}
