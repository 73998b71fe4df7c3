import { useSignal } from '@preact/signals';
import type { Eval } from '../../client/client';
import { Drift } from './drift';

/** Asks with which earlier eval to compare, and shows what has changed since. */
export function EarlierEval({ stored }: { stored: Eval }) {
  const id = useSignal('');
  const asked = useSignal<{ against: string | undefined } | undefined>(undefined);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    // A pasted address works as well.
    const against = id.value.trim().split('/').at(-1) ?? '';
    asked.value = { against: against === '' ? undefined : against };
  };
  return (
    <>
      <form class="earlier-eval" onSubmit={onSubmit}>
        <label for="earlier-eval">Earlier eval</label>
        <input
          id="earlier-eval"
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder="the eval that this one repeated"
          value={id.value}
          onInput={(event) => {
            id.value = event.currentTarget.value;
          }}
        />
        <button type="submit">Show what changed</button>
      </form>
      {asked.value !== undefined && <Drift key={asked.value.against} after={stored} against={asked.value.against} />}
    </>
  );
}
