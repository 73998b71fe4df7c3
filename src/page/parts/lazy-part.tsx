import type { ComponentType } from 'preact';
import { lazyComponent } from '../lazy-component';

/** A part of a screen whose code is loaded when it is first shown; empty until then. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const usePart = lazyComponent(load);
  return function LazyPart(props: Props) {
    const part = usePart();
    if (part.kind === 'loaded') return <part.Component {...props} />;
    return part.kind === 'failed' ? <p class="problem">This part of the page could not be loaded.</p> : null;
  };
}
