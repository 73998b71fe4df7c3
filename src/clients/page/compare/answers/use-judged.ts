import { useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Eval } from '../../../client/client';
import { prefs } from '../../prefs';
import type { AnswersSource } from '../run/live-run';
import { orderedColumns, shuffled } from './blind';
import { answeredModels, type Choice, choiceIn, choose, mayChoose, NONE, TIE } from './choice';

/** Answers for the eye of a judge. While names are hidden, the columns have none, and nothing is known of the eval. */
export interface Judged extends Pick<AnswersSource, 'columns' | 'startedAt'> {
  stored: Eval | undefined;
  isHidden: boolean;
  /** The models in the order of their columns. */
  order: readonly string[];
  /** The eval that the choice is about; undefined where there is none to make. */
  asking: Eval | undefined;
  /** The chosen model, or another choice. */
  chosen: string | undefined;
  /** Keeps a choice: a model that answered, or another choice. Undefined once there is one. */
  choose: ((preferred: string | undefined) => void) | undefined;
}

const NOTHING = { stored: undefined, startedAt: undefined };

/** The names are hidden from the start of a run until the choice, where the switch says so and a choice can be made. */
export function useJudged(source: AnswersSource, isShared: boolean): Judged {
  const asked = useMemo(() => [...new Set(source.columns.map((column) => column.peek().model))], [source]);
  const stored = source.stored.value;
  const candidates = useCandidates(source, asked, isShared);
  const choice = stored === undefined || candidates.length < 2 ? undefined : choiceIn(stored);
  const chosen = choice?.kept.value?.preferred;
  const isHidden = candidates.length > 1 && prefs.value.blind && chosen === undefined;
  const { columns, order, isBlind } = useOrder(source, asked, isHidden);
  const keep = (preferred: string | undefined): void => {
    if (stored !== undefined && preferred !== undefined && [...candidates, TIE, NONE].includes(preferred))
      void choose(stored, { preferred, blind: isBlind });
  };
  return {
    columns,
    order,
    isHidden,
    chosen,
    asking: choice && stored,
    choose: mayKeep(choice) ? keep : undefined,
    ...(isHidden ? NOTHING : { stored, startedAt: source.startedAt }),
  };
}

/** The models that can be chosen, or may be when the run has ended. */
function useCandidates(source: AnswersSource, asked: readonly string[], isShared: boolean): readonly string[] {
  const stored = source.stored.value;
  const isLost = useComputed(() =>
    source.columns.every(({ value }) => value.phase === 'failed' || value.phase === 'lost'),
  ).value;
  if (isShared || isLost || !mayChoose()) return [];
  return stored === undefined ? asked : answeredModels(stored);
}

/** The order in which answers were first shown stays after the choice, so that the reader finds them again. */
function useOrder(
  source: AnswersSource,
  asked: readonly string[],
  isHidden: boolean,
): Pick<Judged, 'columns' | 'order'> & { isBlind: boolean } {
  const hidden = useSignal(isHidden);
  hidden.value = isHidden;
  const memory = useRef<{
    source: AnswersSource;
    order?: readonly string[];
    columns?: AnswersSource['columns'];
    wereKnown?: boolean;
  }>({ source });
  if (memory.current.source !== source) memory.current = { source };
  const held = memory.current;
  if (isHidden && held.columns === undefined) {
    held.order = shuffled(asked);
    held.columns = orderedColumns(source.columns, held.order, hidden);
  }
  // A name that was once beside a text is known.
  if (!isHidden && source.columns.some((column) => column.peek().text !== '')) held.wereKnown = true;
  return {
    columns: held.columns ?? source.columns,
    order: held.order ?? asked,
    isBlind: isHidden && held.wereKnown !== true,
  };
}

function mayKeep(choice: Choice | undefined): boolean {
  return choice !== undefined && choice.kept.value === undefined;
}
