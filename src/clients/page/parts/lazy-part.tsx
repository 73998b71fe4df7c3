import type { ComponentType } from 'preact';
import { lazyComponent } from '../lazy-component';
import { Banner } from './banner';
import { Skeleton } from './skeleton';

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
