import { useEffect, useRef, useState } from 'preact/hooks';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
import { resumeSession, session, useKey } from '../session';

/** Asks for the API key: alone on the screen, or above that of a key that is refused. */
export function KeyScreen({ isAbove = false }: { isAbove?: boolean }) {
  const state = session.value;
  const [text, setText] = useState('');
  if (state.kind === 'resuming') return <Skeleton />;
  return (
    <section class={isAbove ? 'key-above' : 'key-screen'} aria-label="Key">
      {isAbove ? <p>The service rejected this key. The screen keeps its content; further requests need another key.</p> : <ScreenTitle title="Compare language models" takesFocus={false} />}
      <form onSubmit={(event) => { event.preventDefault(); void useKey(text); }}>
        <label for="key">API key</label>
        <KeyField text={text} setText={setText} problem={state.kind === 'signed-out' ? state.problem : undefined} takesFocus={!isAbove} />
        <p id="key-note" class="quiet small">The key stays in this tab and is deleted when you close the tab.</p>
        <button class="button-primary" aria-disabled={state.kind === 'checking'}>{state.kind === 'checking' ? 'Checking …' : 'Continue'}</button>
      </form>
      {state.kind === 'signed-out' && state.mayResume === true && <p><button type="button" onClick={() => void resumeSession()}>Try again with the key of this tab</button></p>}
      {!isAbove && <KeyHelp />}
    </section>
  );
}

function KeyField({ text, setText, problem, takesFocus }: { text: string; setText: (text: string) => void; problem: string | undefined; takesFocus: boolean }) {
  const ref = useRef<HTMLInputElement>(null);
  const [isShown, setShown] = useState(false);
  // On the key screen the only thing to do, also after a key that was not good.
  useEffect(() => { if (takesFocus) ref.current?.focus(); }, [problem]);
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
      <p>No key yet? The first <code>npm start</code> prints a demo key. Operators create more: README, “A second user and key”.</p>
      <p>Programs use the same key: <a href="/docs">documentation of the API</a>.</p>
    </div>
  );
}
