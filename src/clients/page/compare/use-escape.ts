import { useEffect, useRef } from 'preact/hooks';

/**
 * Escape, wherever the focus is but in a dialog, which closes first. The handler says whether it did something; if not,
 * the next one is asked.
 */
export function useEscape(handler: () => boolean): void {
  const latest = useRef({ handler });
  latest.current.handler = handler;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        event.key !== 'Escape' ||
        event.defaultPrevented ||
        event.isComposing ||
        document.querySelector('dialog[open], :popover-open') !== null
      )
        return;
      if (latest.current.handler()) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
