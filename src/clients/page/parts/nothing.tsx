import type { ComponentChildren } from 'preact';

/** The place of what does not exist yet: what will be there, and a way to begin. */
export function Nothing({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="nothing">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
