import { signal } from '@preact/signals';
import { Dialog } from '../parts/dialog';
import { announce } from '../parts/status-line';

/** Text to copy by hand, where the browser does not let the page do it. */
const byHand = signal<string | undefined>(undefined);

/**
 * Puts text into the clipboard; where the browser refuses, which it does on pages without TLS, a dialog shows the text
 * instead.
 */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`${what} copied`);
  } catch {
    byHand.value = text;
  }
}

/** The text that could not be copied, to be copied by hand. */
export function CopyByHand() {
  const text = byHand.value;
  if (text === undefined) return null;
  return (
    <Dialog
      title="Copy this text"
      onClose={() => {
        byHand.value = undefined;
      }}
    >
      <textarea
        class="copy-by-hand"
        readOnly
        rows={8}
        aria-label="Text to copy"
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
    </Dialog>
  );
}
