import { useId } from 'preact/hooks';

interface HelpProps {
  /** The subject, for screen readers. */
  about: string;
  /** The heading of the guide that says more. */
  anchor: string;
  /** One or two sentences. */
  children: string;
}

/** A question mark that explains what is before it. A popover, so that Escape and a click elsewhere close it. */
export function Help({ about, anchor, children }: HelpProps) {
  const id = useId();
  return (
    <>
      <button type="button" class="help" popovertarget={id} aria-label={`What is this? ${about}`}>
        <span aria-hidden="true">?</span>
      </button>
      <div id={id} class="help-words" popover="auto">
        <p>{children}</p>
        <a href={`/docs/guide/checks-and-statistics#${anchor}`} target="_blank" rel="noopener">
          Read more<span class="visually-hidden"> about {about} in a new tab</span>
        </a>
      </div>
    </>
  );
}
