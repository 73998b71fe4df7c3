import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface FoldProps {
  summary: ComponentChildren;
  class: string;
  /** Its content, created when it is first unfolded. */
  children: () => ComponentChildren;
}

/** Something to unfold, which costs nothing before. */
export function Fold({ summary, class: name, children }: FoldProps) {
  const wasOpen = useSignal(false);
  return (
    <details
      class={name}
      onToggle={(event) => {
        if (event.currentTarget.open) wasOpen.value = true;
      }}
    >
      <summary>{summary}</summary>
      {wasOpen.value && children()}
    </details>
  );
}
