import type { ComponentType } from 'preact';
import { lazyComponent } from '../lazy-component';
import { Banner } from './banner';
import { Skeleton } from './skeleton';

/** A screen whose code is loaded when it is first shown. */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const useScreen = lazyComponent(load);
  return function LazyScreen(props: Props) {
    const screen = useScreen();
    if (screen.kind === 'loaded') return <screen.Component {...props} />;
    if (screen.kind === 'waiting') return <Skeleton />;
    return <Banner kind="failure">This part of the page could not be loaded. <button type="button" onClick={() => location.reload()}>Load the page again</button></Banner>;
  };
}
