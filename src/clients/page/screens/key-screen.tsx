import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog';
import { ExampleRun } from '../chunks';
import { Banner, Skeleton } from '../parts/notices';
import { ScreenTitle } from '../parts/screen-title';
import { route } from '../router';
import { resumeSession, session, useKey } from '../session';

const LOCAL_HOSTS = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Asks for the API key: beside an example on the first screen, or in a dialog above that of a key that is refused. */
export function KeyScreen({ isAbove = false }: { isAbove?: boolean }) {
  if (session.value.kind === 'resuming') return <Skeleton />;
  if (isAbove)
    return (
      <section class="key-above" aria-label="Key">
        <p>The service rejected this key. The screen keeps its content; further requests need another key.</p>
        <KeyForm isAbove />
      </section>
    );
  return (
    <div class="first-screen">
      <section class="key-screen" aria-label="Key">
        <div>
          <ScreenTitle title="Compare language models" takesFocus={false} />
          <p class="key-lead">
            Ask several at once. See each answer with its time, its tokens and its exact cost, and choose.
          </p>
        </div>
        <KeyForm />
        <KeyHelp />
      </section>
      <ExamplePane />
    </div>
  );
}

function KeyForm({ isAbove = false }: { isAbove?: boolean }) {
  const state = session.value;
  const [text, setText] = useState('');
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void useKey(text);
        }}
      >
        <label for="key">API key</label>
        <KeyField
          text={text}
          setText={setText}
          problem={state.kind === 'signed-out' ? state.problem : undefined}
          isAbove={isAbove}
        />
        <p id="key-note" class="quiet small">
          The key stays in this tab and is deleted when you close the tab.
        </p>
        <button class="button-primary" aria-disabled={state.kind === 'checking'}>
          {state.kind === 'checking' ? 'Checking …' : 'Continue'}
        </button>
      </form>
      {state.kind === 'signed-out' && state.mayResume === true && (
        <p>
          <button type="button" onClick={() => void resumeSession()}>
            Try again with the key of this tab
          </button>
        </p>
      )}
    </>
  );
}

function KeyField({
  text,
  setText,
  problem,
  isAbove,
}: {
  text: string;
  setText: (text: string) => void;
  problem: string | undefined;
  isAbove: boolean;
}) {
  const ref = useRef<HTMLInputElement>(null);
  const [isShown, setShown] = useState(false);
  // The only thing to do, also after a key that was not good. A dialog gives it the focus itself.
  useEffect(() => ref.current?.focus(), [problem]);
  const type = isShown ? ({ type: 'text' } as const) : ({ type: 'password' } as const);
  return (
    <>
      <div class="key-field">
        <input
          ref={ref}
          autofocus={isAbove}
          id="key"
          {...type}
          value={text}
          placeholder="mcs_…"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="key-note key-problem"
          aria-invalid={problem !== undefined}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="button" aria-pressed={isShown} aria-label="Show the key" onClick={() => setShown(!isShown)}>
          Show
        </button>
      </div>
      <p id="key-problem" class="problem" role="alert">
        {problem}
      </p>
    </>
  );
}

/** Only on its own machine does anybody start the service. */
function KeyHelp() {
  return (
    <div class="key-help quiet">
      {LOCAL_HOSTS.test(location.hostname) ? (
        <p>
          No key yet? <code>npm start</code> prints a link that signs in, and later the command for another key.
        </p>
      ) : (
        <p>No key yet? The operator of this service issues keys.</p>
      )}
      <p>
        Programs use the same key: <a href="/docs">documentation of the API</a>.
      </p>
    </div>
  );
}

/** Asks for another key over a screen whose key was refused, which keeps its content. Closed, it leaves a way back. */
export function KeyDialog() {
  const isOpen = useSignal(true);
  if (isOpen.value)
    return (
      <Dialog
        title="Another key is needed"
        onClose={() => {
          isOpen.value = false;
        }}
      >
        <KeyScreen isAbove />
      </Dialog>
    );
  return (
    <section aria-label="Key">
      <Banner kind="warning" page>
        The service rejected this key.{' '}
        <button
          type="button"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          Enter another key
        </button>
      </Banner>
    </section>
  );
}

/** Where the example is in view at once, as in the style sheet. */
const HAS_ROOM = '(width >= 64rem)';

/**
 * True until the example may have played by itself: once, where it is in view, and not for people who want no motion.
 */
let mayPlay = true;

/** A recorded run beside the field for the key, to watch before any key. */
function ExamplePane() {
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
