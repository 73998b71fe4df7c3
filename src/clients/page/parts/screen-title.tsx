import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { returnLink } from '../router';

const SEEK_MS = 5000;
let isFirst = true;

/**
 * The one `h1` of a screen, which also names the browser's tab. It gets the focus when a screen is shown, except the
 * first one. After going back, the link that led away gets it once it is rendered.
 */
export function ScreenTitle({
  title,
  hidden = false,
  takesFocus = true,
}: {
  title: string;
  hidden?: boolean;
  takesFocus?: boolean;
}) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Model Comparison`;
  }, [title]);
  // Before the paint: a moment later it would take the focus from a field that somebody types into.
  useLayoutEffect(() => {
    const heading = ref.current;
    const moves = takesFocus && !isFirst;
    isFirst = false;
    if (heading === null || !moves) return undefined;
    heading.focus({ preventScroll: true });
    const href = returnLink();
    return href === undefined ? scrollToTop() : focusWhenThere(href, heading);
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1} class={hidden ? 'visually-hidden' : ''}>
      {title}
    </h1>
  );
}

function scrollToTop(): undefined {
  scrollTo(0, 0);
  return undefined;
}

/**
 * Focuses the link with that address once it is shown, unless the focus has moved on by then. Returns a function that
 * stops.
 */
function focusWhenThere(href: string, heading: HTMLElement): () => void {
  const seek = (): void => {
    const link = document.querySelector(`main a[href="${CSS.escape(href)}"]`);
    if (document.activeElement !== heading) stop();
    if (!(link instanceof HTMLElement)) return;
    stop();
    link.focus();
  };
  const observer = new MutationObserver(seek);
  const timer = setTimeout(() => stop(), SEEK_MS);
  const stop = (): void => {
    clearTimeout(timer);
    observer.disconnect();
  };
  observer.observe(document.body, { childList: true, subtree: true });
  seek();
  return stop;
}
