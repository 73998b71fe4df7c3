import type { ShownPages } from './use-pages';

/** The buttons below one page of a list; nothing where one page is all. */
export function Pager<T>({ pages: { number, previous, following, isLoading }, previous: back, following: on }: { pages: ShownPages<T>; previous: string; following: string }) {
  if (previous === undefined && following === undefined) return null;
  const go = (step: (() => void) | undefined) => () => { if (!isLoading) step?.(); };
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" aria-disabled={previous === undefined} onClick={go(previous)}>‹ {back}</button>
      <span class="quiet number">Page {number}</span>
      <button type="button" aria-disabled={following === undefined} onClick={go(following)}>{on} ›</button>
    </nav>
  );
}
