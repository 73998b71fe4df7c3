import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Scope } from '../../client/client';

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

/** Why a screen, or a part of one, stays empty for the key in use. */
export function MissingScope({ scope, purpose }: { scope: Scope; purpose: string }) {
  return (
    <Banner kind="note">
      <span>
        This key lacks the scope <code>{scope}</code>, which is needed {purpose}. Ask the operator for a key that has
        it.
      </span>
    </Banner>
  );
}

/**
 * Lines where content will be. They appear only after 300 ms, by the style sheet, so that quick answers do not flicker.
 */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

const message = signal('');

/** Says a sentence to screen readers, in the page's one status line. */
export function announce(text: string): void {
  message.value = text;
}

/** Live announcements for screen readers. Answers themselves are in no live region. */
export function StatusLine() {
  return (
    <div role="status" class="visually-hidden">
      {message.value}
    </div>
  );
}
