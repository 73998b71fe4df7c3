import type { ComponentChildren } from 'preact';

/** A message about the whole page or screen. A failure is read out at once. */
export function Banner({ kind, children }: { kind: 'note' | 'warning' | 'failure'; children: ComponentChildren }) {
  return <div class={`banner banner-${kind}`} role={kind === 'failure' ? 'alert' : undefined}>{children}</div>;
}
