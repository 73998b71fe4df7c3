import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Banner, Skeleton } from './notices';

/** A component whose code comes later: still waited for, not to be had, or there. */
type LazyComponent<Props> =
  { kind: 'waiting' } | { kind: 'failed' } | { kind: 'loaded'; Component: ComponentType<Props> };

/**
 * A hook that loads the code of a component when it is first shown, once for all who show it; after a failure the next
 * one tries again.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): () => LazyComponent<Props> {
  const lazy = signal<LazyComponent<Props>>({ kind: 'waiting' });
  const begin = async (): Promise<void> => {
    if (lazy.value.kind === 'loaded') return;
    try {
      lazy.value = { kind: 'loaded', Component: await load() };
    } catch {
      // No network, or the service was renewed since this page was loaded.
      lazy.value = { kind: 'failed' };
    }
  };
  return function useLazyComponent() {
    useEffect(() => void begin(), []);
    return lazy.value;
  };
}

/**
 * A component whose code is loaded when it is first shown. Until then a part shows nothing, and a whole screen its
 * outline.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isScreen = false } = {},
): ComponentType<Props> {
  const usePart = lazyComponent(load);
  return function LazyPart(props: Props) {
    const part = usePart();
    if (part.kind === 'loaded') return <part.Component {...props} />;
    if (part.kind === 'waiting') return isScreen ? <Skeleton /> : null;
    return isScreen ? (
      <Banner kind="failure">
        This part of the page could not be loaded.{' '}
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Banner>
    ) : (
      <p class="problem">This part of the page could not be loaded.</p>
    );
  };
}
