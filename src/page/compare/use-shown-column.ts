import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** The number, from 1, of the column that a row of answers has been scrolled to. */
export function useShownColumn(row: RefObject<HTMLElement | null>): number {
  const shown = useSignal(1);
  useEffect(() => {
    const element = row.current;
    if (element === null) return undefined;
    const visible = new Map<Element, number>();
    const observer = new IntersectionObserver((entries) => {
      for (const { target, intersectionRatio } of entries) visible.set(target, intersectionRatio);
      const columns = [...element.children];
      const best = columns.reduce((most, column) => ((visible.get(column) ?? 0) > (visible.get(most) ?? 0) + 0.1 ? column : most), columns[0] as Element);
      shown.value = columns.indexOf(best) + 1;
    }, { root: element, threshold: [0, 0.25, 0.5, 0.75, 1] });
    for (const column of element.children) observer.observe(column);
    return () => observer.disconnect();
  }, []);
  return shown.value;
}
