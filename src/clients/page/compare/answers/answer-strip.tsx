import { elapsedText } from '../../../client/figure-text';
import { useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Eval } from '../../../client/client';
import { timeText } from '../../../client/time-text';
import { checksText } from '../evaluated';
import { BreakableName, markOf, ModelMark } from '../models/model-mark';
import type { ColumnState } from '../run/run';
import { useClock } from './elapsed';
import { leadText, stateText } from './figures';
import { type ModelAnswers, overallPhase } from './model-answers';
import { costShares, costText, type Lane, laneOf, laneText, placeOf, scaleOf } from './race';

/** An answer has ✓ or ✗ only by its checks. */
const SIGNS: Readonly<Partial<Record<ColumnState['phase'], string>>> = { failed: '▲', lost: '–' };

interface AnswerStripProps {
  models: readonly ModelAnswers[];
  names: readonly string[];
  stored: Eval | undefined;
  startedAt: number | undefined;
  shown: ShownColumns;
  /** The number of the answer that is shown alone. */
  expanded: number | undefined;
  onGoTo: (number: number) => void;
}

/**
 * The race of the models: for each a line with its time, drawn on one scale, and at the end its cost. Each leads to its
 * column.
 */
export function AnswerStrip({
  models,
  names,
  stored,
  startedAt,
  shown: { current, before, after },
  expanded,
  onGoTo,
}: AnswerStripProps) {
  const isInView = (number: number): boolean =>
    expanded === undefined ? number > before && number <= models.length - after : number === expanded;
  const lanes = useLanes(models, stored, startedAt);
  const [scale, costs] = [scaleOf(lanes), costShares(lanes)];
  return (
    <nav class="answer-strip" aria-label="Answers" data-many={models.length > 4}>
      {models.map((answers, index) => {
        const lane = lanes[index];
        return (
          lane && (
            <StripItem
              key={index}
              answers={answers}
              names={names}
              lane={lane}
              scale={scale}
              costShare={costs[index]}
              stored={stored}
              isCurrent={(expanded ?? current) === index + 1}
              isInView={isInView(index + 1)}
              onGoTo={() => onGoTo(index + 1)}
            />
          )
        );
      })}
      {expanded === undefined && before > 0 && (
        <button type="button" class="strip-more" onClick={() => onGoTo(before)}>
          ← {before} more
        </button>
      )}
      {expanded === undefined && after > 0 && (
        <button type="button" class="strip-more" data-end="true" onClick={() => onGoTo(models.length - after + 1)}>
          {after} more →
        </button>
      )}
    </nav>
  );
}

/** Text changes at every frame; a lane only when its model begins or ends, and with the clock. */
function useLanes(models: readonly ModelAnswers[], stored: Eval | undefined, startedAt: number | undefined): Lane[] {
  const phases = useComputed(() =>
    models.map(({ answers }) => answers.map(({ value: { phase } }) => phase).join(' ')).join(' '),
  ).value;
  const isOpen = /waiting|writing/.test(phases);
  const elapsedMs = useClock(isOpen ? startedAt : undefined);
  return models.map(({ model, answers }) => {
    const statistics = answers.length > 1 ? stored?.statistics?.models.find((each) => each.model === model) : undefined;
    return laneOf(
      answers.map((answer) => answer.peek()),
      statistics,
      elapsedMs,
    );
  });
}

interface StripItemProps extends Pick<AnswerStripProps, 'names' | 'stored'> {
  answers: ModelAnswers;
  lane: Lane;
  scale: number;
  costShare: number | undefined;
  isCurrent: boolean;
  isInView: boolean;
  onGoTo: () => void;
}

function StripItem({
  answers: { model, answers },
  names,
  lane,
  scale,
  costShare,
  stored,
  isCurrent,
  isInView,
  onGoTo,
}: StripItemProps) {
  const states = answers.map((answer) => answer.peek());
  const phase = overallPhase(states);
  const checks = checksText(states.map(({ result }) => result));
  const [cost, words, sign] = [
    costText(lane),
    [laneText(lane, states.length), checks?.words].filter(Boolean).join(', '),
    phase === 'ended' ? checks?.sign : SIGNS[phase],
  ];
  return (
    <button
      type="button"
      class="strip-item"
      data-phase={phase}
      data-color={markOf(model, names).color}
      data-shown={isInView}
      aria-current={isCurrent ? 'true' : undefined}
      title={[model, words].filter(Boolean).join(': ')}
      onClick={onGoTo}
    >
      <ModelMark model={model} models={names} />{' '}
      <bdi class="strip-model">
        <BreakableName model={model} />
      </bdi>{' '}
      <i class="race-track" aria-hidden="true">
        <TimeBar lane={lane} scale={scale} />
      </i>
      <span class="strip-state" data-leads={leadText(stored, 'fastest', model) !== undefined}>
        {sign !== undefined && <i aria-hidden="true">{sign}</i>} {stateOf(states, lane)}
      </span>
      {words !== '' && <span class="visually-hidden"> {words} </span>}
      <i class="race-track race-costs" aria-hidden="true">
        {costShare !== undefined && <i class="race-cost" style={{ '--end': costShare }} />}
      </i>
      <span class="strip-cost" title={cost?.title} data-leads={leadText(stored, 'cheapest', model) !== undefined}>
        {cost?.text}
      </span>
    </button>
  );
}

function TimeBar({ lane: { firstText, end }, scale }: Pick<StripItemProps, 'lane' | 'scale'>) {
  if (end === undefined) return null;
  return (
    <i
      class="race-time"
      style={{ '--end': placeOf(end, scale), '--first': placeOf(firstText ?? end, end) }}
      data-first={firstText !== undefined}
    />
  );
}

/** One answer's time, or the median of several; how many have come while some have not. */
function stateOf(states: readonly ColumnState[], { end, isWriting }: Lane): string {
  const [only] = states;
  if (states.length === 1 && only !== undefined)
    return isWriting && end !== undefined ? elapsedText(end) : stateText(only);
  const ended = states.filter(({ phase }) => phase === 'ended').length;
  return ended === states.length && end !== undefined ? timeText(end) : `${ended} of ${states.length}`;
}

/** Which columns of a row are in view, sideways. */
interface ShownColumns {
  /** The number, from 1, of the first of them. */
  current: number;
  /** How many are out of view before them, and after them. */
  before: number;
  after: number;
}

const ALL: ShownColumns = { current: 1, before: 0, after: 0 };

/** Follows which columns are in view, in a row that scrolls sideways itself (on the phone) or with its scroller. */
export function useShownColumns(scroller: RefObject<HTMLElement | null>, count: number): ShownColumns {
  const shown = useSignal(ALL);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const next = shownOf(element);
      const { current, before, after } = shown.peek();
      if (next.current !== current || next.before !== before || next.after !== after) shown.value = next;
    };
    const observer = new ResizeObserver(measure);
    for (const watched of [element, ...element.querySelectorAll('.answers-row')]) observer.observe(watched);
    // The scrolling of an element within does not bubble.
    element.addEventListener('scroll', measure, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure, { capture: true });
    };
  }, [count]);
  return shown.value;
}

/** A column is in view if its middle is. */
function shownOf(scroller: HTMLElement): ShownColumns {
  const { left, right } = scroller.getBoundingClientRect();
  const middles = [...scroller.querySelectorAll('.answer')].flatMap((column) => {
    const box = column.getBoundingClientRect();
    return box.width === 0 ? [] : [(box.left + box.right) / 2];
  });
  const before = middles.filter((middle) => middle < left).length;
  return {
    current: Math.min(before, middles.length - 1) + 1,
    before,
    after: middles.filter((middle) => middle > right).length,
  };
}
