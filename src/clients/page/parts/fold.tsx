import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface FoldProps {
  summary: ComponentChildren;
  class: string;
  /** True if it is unfolded at first. */
  isOpen?: boolean;
  /** Its content, created when it is first unfolded. */
  children: () => ComponentChildren;
}

/** Something to unfold, which costs nothing before. */
export function Fold({ summary, class: name, isOpen = false, children }: FoldProps) {
  const wasOpen = useSignal(isOpen);
  return (
    <details
      class={name}
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open) wasOpen.value = true;
      }}
    >
      <summary>{summary}</summary>
      {wasOpen.value && children()}
    </details>
  );
}
