import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { copyText } from './clipboard';

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
