import type { ComponentChildren } from 'preact';

/** A figure with its name and a note below it: one of several beside each other. */
export function MonthFigure({
  name,
  note,
  children,
}: {
  name: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="month-figure">
      <dt>{name}</dt>
      <dd>
        <span class="month-figure-value">{children}</span>
        {note !== undefined && <span class="month-figure-note">{note}</span>}
      </dd>
    </div>
  );
}
