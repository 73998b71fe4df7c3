import { useEffect, useRef } from 'preact/hooks';
import { previousPath } from '../router';

/** The one `h1` of a screen, which also names the browser's tab. It gets the focus when the screen is shown, but for the first. */
export function ScreenTitle({ title, hidden = false }: { title: string; hidden?: boolean }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => { document.title = `${title} · Model Comparison`; }, [title]);
  useEffect(() => {
    if (previousPath() !== undefined) ref.current?.focus();
  }, []);
  return <h1 ref={ref} tabIndex={-1} class={hidden ? 'visually-hidden' : ''}>{title}</h1>;
}
