import type { CompareError } from '../../client/client';
import { Banner } from './banner';

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
