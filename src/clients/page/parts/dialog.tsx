import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  /** Escape, the closing button and a click beside the dialog. */
  onClose: () => void;
  /** Beside the ordinary class, such as `dialog-full`. */
  class?: string;
  children: ComponentChildren;
}

/**
 * A dialog that holds the focus while it is shown, and then restores it. Show it by rendering it; an element with
 * `autofocus` gets the focus.
 */
export function Dialog({ title, onClose, class: extra = '', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const [dialog, before] = [ref.current, document.activeElement];
    dialog?.showModal();
    return () => {
      // While it is open, nothing else can have the focus.
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
      // The element that had the focus may be gone or hidden by then.
      if (document.activeElement === document.body) document.querySelector('h1')?.focus();
    };
  }, []);
  const onCancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  const onClick = (event: MouseEvent): void => {
    if (event.target === ref.current) onClose();
  };
  return (
    <dialog ref={ref} class={`dialog ${extra}`} aria-labelledby={heading} onCancel={onCancel} onClick={onClick}>
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" class="button-quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
