import type { ComponentChildren } from 'preact';

/** A wide table that scrolls sideways, also with the keyboard. */
export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="finding-scroller" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

interface FindingTableProps {
  /** The name of the region that scrolls. */
  label: string;
  caption?: string;
  class?: string;
  heads: readonly ComponentChildren[];
  /** The rows. */
  children: ComponentChildren;
}

export function FindingTable({ label, caption, class: extra = '', heads, children }: FindingTableProps) {
  return (
    <Scroller label={label}>
      <table class={`finding-table ${extra}`.trimEnd()}>
        {caption !== undefined && <caption class="visually-hidden">{caption}</caption>}
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroller>
  );
}
