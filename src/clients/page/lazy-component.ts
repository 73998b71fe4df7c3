import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

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
