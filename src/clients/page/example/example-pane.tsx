import { useEffect, useRef, useState } from 'preact/hooks';
import { lazyPart } from '../parts/lazy-part';
import { route } from '../router';

const ExampleRun = lazyPart(async () => (await import('./example-run')).ExampleRun, { isScreen: true });

/** Where the example is in view at once, as in the style sheet. */
const HAS_ROOM = '(width >= 64rem)';

/**
 * True until the example may have played by itself: once, where it is in view, and not for people who want no motion.
 */
let mayPlay = true;

/** A recorded run beside the field for the key, to watch before any key. */
export function ExamplePane() {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const [plays, setPlays] = useState(() =>
    mayPlay && !isStill && matchMedia(HAS_ROOM).matches && route.peek().name === 'compare' ? 1 : 0,
  );
  const [isAsked, setAsked] = useState(false);
  mayPlay = false;
  const pane = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isAsked && !matchMedia(HAS_ROOM).matches) pane.current?.scrollIntoView();
  }, [plays]);
  const play = (): void => {
    setAsked(true);
    setPlays(plays + 1);
  };
  return (
    <section class="example" data-playing={plays > 0} aria-labelledby="example" ref={pane}>
      <div class="example-head">
        <div>
          <h2 id="example">One prompt, three models, side by side</h2>
          <p class="quiet">Recorded run of the simulator: the answers are made up. Nothing is sent or charged.</p>
        </div>
        <button type="button" class="example-button" onClick={play}>
          <i aria-hidden="true">▶</i> Watch an example
        </button>
      </div>
      {plays === 0 ? (
        <p class="example-still quiet">
          See how each model writes, how long it takes, what it costs, and which checks it passes.
        </p>
      ) : (
        <ExampleRun key={plays} isAtOnce={isStill} isAnnounced={isAsked} />
      )}
    </section>
  );
}
