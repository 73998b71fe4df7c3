import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Which columns of a row are in view, sideways. */
export interface ShownColumns {
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
