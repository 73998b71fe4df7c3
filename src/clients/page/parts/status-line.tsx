import { signal } from '@preact/signals';

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
