import { useState } from 'preact/hooks';
import { ScreenTitle } from '../parts/screen-title';
import { Skeleton } from '../parts/skeleton';
import { session, useKey } from '../session';

/** Asks for the API key, and shows nothing else before the service has said what it may do. */
export function KeyScreen() {
  const state = session.value;
  const [text, setText] = useState('');
  const [isShown, setShown] = useState(false);
  const problem = state.kind === 'signed-out' ? state.problem : undefined;
  if (state.kind === 'checking' && text === '') return <Skeleton />;
  return (
    <section class="key-screen">
      <ScreenTitle title="Compare language models" />
      <form onSubmit={(event) => { event.preventDefault(); void useKey(text); }}>
        <label for="key">API key</label>
        <div class="key-field">
          <input id="key" {...(isShown ? { type: 'text' } as const : { type: 'password' } as const)} value={text} placeholder="mcs_…" autocomplete="off" spellcheck={false} aria-describedby="key-note key-problem" aria-invalid={problem !== undefined} onInput={(event) => setText(event.currentTarget.value)} />
          <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>show</button>
        </div>
        <p id="key-problem" class="problem" role="alert">{problem}</p>
        <p id="key-note" class="quiet">It stays in this tab and goes when you close it.</p>
        <button class="button-primary" disabled={state.kind === 'checking'}>Continue</button>
      </form>
      <p class="quiet">Where is mine? The first <code>npm start</code> prints a demo key. Operators issue more: README, “A second user and key”.</p>
    </section>
  );
}
