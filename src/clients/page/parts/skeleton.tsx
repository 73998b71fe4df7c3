/**
 * Lines where content will be. They appear only after 300 ms, by the style sheet, so that quick answers do not flicker.
 */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
