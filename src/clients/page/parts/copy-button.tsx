import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './dialog';
import { announce } from './notices';

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

const THANKS_MS = 1500;

interface CopyButtonProps {
  /** The text to copy; created when the button is pressed. */
  text: () => string;
  /** Its name in the message that it was copied. */
  what: string;
  label?: string;
  title?: string;
  class?: string;
  children: ComponentChildren;
}

/** Copies, and says for a moment that it did. */
export function CopyButton({ text, what, label, title, class: name = 'button-quiet', children }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), THANKS_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await copyText(text(), what);
    setCopied(true);
  };
  return (
    <button
      type="button"
      class={name}
      aria-label={label}
      title={title}
      data-copied={isCopied}
      onClick={() => void copy()}
    >
      {children}
    </button>
  );
}
