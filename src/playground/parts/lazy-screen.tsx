import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Banner } from './banner';
import { Skeleton } from './skeleton';

type Loaded<Props> = { kind: 'waiting' } | { kind: 'failed' } | { kind: 'loaded'; Screen: ComponentType<Props> };

/** A screen whose code is loaded when it is first shown. */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<Loaded<Props>>({ kind: 'waiting' });
  const begin = async (): Promise<void> => {
    if (loaded.value.kind === 'loaded') return;
    try {
      loaded.value = { kind: 'loaded', Screen: await load() };
    } catch {
      // No network, or the service was renewed since this page was loaded.
      loaded.value = { kind: 'failed' };
    }
  };
  return function LazyScreen(props: Props) {
    useEffect(() => void begin(), []);
    const now = loaded.value;
    if (now.kind === 'loaded') return <now.Screen {...props} />;
    if (now.kind === 'waiting') return <Skeleton />;
    return <Banner kind="failure">This part of the page could not be loaded. <button type="button" onClick={() => location.reload()}>Load the page again</button></Banner>;
  };
}
