import type { ComponentChildren } from 'preact';

/** A wide table that scrolls sideways, also with the keyboard. */
export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="finding-scroller" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
