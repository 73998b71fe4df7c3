import { useEffect, useRef, useState } from 'preact/hooks';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
import { resumeSession, session, useKey } from '../session';

/** Asks for the API key, and shows nothing else before the service has said what it may do. */
export function KeyScreen() {
  const state = session.value;
  const [text, setText] = useState('');
  if (state.kind === 'resuming') return <Skeleton />;
  return (
    <section class="key-screen">
      <ScreenTitle title="Compare language models" takesFocus={false} />
      <form onSubmit={(event) => { event.preventDefault(); void useKey(text); }}>
        <label for="key">API key</label>
        <KeyField text={text} setText={setText} problem={state.kind === 'signed-out' ? state.problem : undefined} />
        <p id="key-note" class="quiet small">It stays in this tab and goes when you close it.</p>
        <button class="button-primary" aria-disabled={state.kind === 'checking'}>{state.kind === 'checking' ? 'Checking …' : 'Continue'}</button>
      </form>
      {state.kind === 'signed-out' && state.mayResume === true && <p><button type="button" onClick={() => void resumeSession()}>Try again with the key of this tab</button></p>}
      <KeyHelp />
    </section>
  );
}

function KeyField({ text, setText, problem }: { text: string; setText: (text: string) => void; problem: string | undefined }) {
  const ref = useRef<HTMLInputElement>(null);
  const [isShown, setShown] = useState(false);
  // The only thing to do here, also after a key that was not good.
  useEffect(() => ref.current?.focus(), [problem]);
  const type = isShown ? { type: 'text' } as const : { type: 'password' } as const;
  return (
    <>
      <div class="key-field">
        <input
          ref={ref} id="key" {...type} value={text} placeholder="mcs_…" autocomplete="off" autocapitalize="off" spellcheck={false}
          aria-describedby="key-note key-problem" aria-invalid={problem !== undefined} onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="button" aria-pressed={isShown} aria-label="Show the key" onClick={() => setShown(!isShown)}>Show</button>
      </div>
      <p id="key-problem" class="problem" role="alert">{problem}</p>
    </>
  );
}

function KeyHelp() {
  return (
    <div class="key-help quiet">
      <p>Where is mine? The first <code>npm start</code> prints a demo key. Operators issue more: README, “A second user and key”.</p>
      <p>Programs use the same key: <a href="/docs">documentation of the API</a>.</p>
    </div>
  );
}
