import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import type { Eval } from '../../client/client';
import { requestOfEval } from '../compare/form/eval-content';
import { CopyButton } from '../parts/copy-button';
import { Dialog } from '../parts/dialog';
import { LANGUAGES } from './snippets';

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** The request of an eval as code, in one tab for each language. The arrow keys go from tab to tab. */
export function CodeDialog({ stored, onClose }: { stored: Eval; onClose: () => void }) {
  const shown = useSignal(0);
  const tabs = useRef<HTMLDivElement>(null);
  const id = useId();
  const language = LANGUAGES[shown.value] ?? LANGUAGES[0];
  const text = language.of(requestOfEval(stored), location.origin);
  const step = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    shown.value = (shown.value + by + LANGUAGES.length) % LANGUAGES.length;
    tabs.current?.querySelectorAll('button')[shown.value]?.focus();
  };
  return (
    <Dialog title="This run as code" class="dialog-wide" onClose={onClose}>
      <div class="snippet-tabs" role="tablist" aria-label="Language" ref={tabs} onKeyDown={step}>
        {LANGUAGES.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={shown.value === index}
            aria-controls={id}
            tabIndex={shown.value === index ? 0 : -1}
            onClick={() => {
              shown.value = index;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={id} role="tabpanel" aria-labelledby={`${id}-${language.name}`}>
        <pre class="snippet-text" tabIndex={0} aria-label={`Code for ${language.name}`} dir="ltr">
          <code>{text}</code>
        </pre>
      </div>
      <div class="dialog-foot">
        <p class="quiet small">
          The key is not in it: set the variable <code>MCS_API_KEY</code>.
        </p>
        <CopyButton key={language.name} text={() => text} what="Code" class="button-primary">
          Copy
        </CopyButton>
      </div>
    </Dialog>
  );
}
