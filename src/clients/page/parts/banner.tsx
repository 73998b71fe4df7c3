import type { ComponentChildren } from 'preact';

/** A message about a screen, or with `page` about the whole page. A failure is read out at once. */
export function Banner({
  kind,
  page = false,
  children,
}: {
  kind: 'note' | 'warning' | 'failure';
  page?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={`banner banner-${kind}${page ? ' banner-page' : ''}`} role={kind === 'failure' ? 'alert' : undefined}>
      {children}
    </div>
  );
}
