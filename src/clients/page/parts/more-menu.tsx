import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/** Further actions behind ⋯; a choice, Escape and leaving it close it. */
export function MoreMenu({ children }: { children: ComponentChildren }) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (details.current !== null) details.current.open = false;
  };
  return (
    <details
      class="more-menu"
      ref={details}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || details.current?.open !== true) return;
        event.preventDefault();
        close();
        details.current.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && details.current?.contains(relatedTarget) !== true) close();
      }}
    >
      <summary aria-label="More actions" title="More actions">
        ⋯
      </summary>
      {/* After the action, so that a dialog finds the focus on what opened it. */}
      <div class="more-menu-items" onClick={() => setTimeout(close)}>
        {children}
      </div>
    </details>
  );
}
