import { useEffect, useRef, useState } from 'preact/hooks';
import { ExamplePane } from '../example/example-pane';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
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
