import type { ComponentChildren } from 'preact';
import type { CompareError } from '../../client/client';
import { Banner } from './notices';

/** Why something is not shown, and a button that asks for it again. */
export function FailedLoad({ error, onRetry }: { error: CompareError; onRetry: () => void }) {
  const wait = error.retryAfter === undefined ? '' : ` The service asks to wait ${error.retryAfter} s.`;
  return (
    <Banner kind="failure">
      <span>
        {error.message}
        {wait}
      </span>{' '}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </Banner>
  );
}

/** The place of what does not exist yet: what will be there, and a way to begin. */
export function Nothing({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="nothing">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
