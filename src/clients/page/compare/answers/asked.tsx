import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Turn } from '../../../../common/turn';
import { Fold } from '../../parts/fold';

/** The request that answers belong to; a share may leave any of it out. */
export interface AskedTexts {
  prompt: string | undefined;
  input?: string | null | undefined;
  system?: string | undefined;
  /** Earlier turns of the conversation. */
  history?: readonly Turn[] | undefined;
  /** The wanted form of the answer. */
  format?: unknown;
}

interface AskedProps {
  texts: AskedTexts;
  /** More of the request, shown on the phone only with the whole text. */
  children?: ComponentChildren;
}

/** More than two lines of the widest screen. */
const FOLDED_CHARACTERS = 1000;

/** The request above its answers: folded to two lines, with a way to unfold it. */
export function Asked({ texts: { prompt, input, system, history, format }, children }: AskedProps) {
  const isOpen = useSignal(false);
  const parts = [
    ['Prompt', prompt],
    ['Input', input],
    ['System', system],
    ['Format', format === undefined ? undefined : JSON.stringify(format, null, 2)],
  ] as const;
  const shown = parts.flatMap(([label, text]) => (typeof text === 'string' && text !== '' ? [{ label, text }] : []));
  const words = useRef<HTMLDivElement>(null);
  const isCut = useIsCut(words);
  const isLong = isCut || shown.some(({ text }) => text.length > FOLDED_CHARACTERS || text.includes('\n'));
  if (shown.length === 0) return <>{children}</>;
  return (
    <section class="asked" aria-label="What was asked" data-open={isOpen.value} data-long={isLong}>
      <div
        class="asked-words"
        ref={words}
        tabIndex={isOpen.value ? 0 : undefined}
        role={isOpen.value ? 'group' : undefined}
        aria-label={isOpen.value ? 'The whole text' : undefined}
      >
        {shown.map(({ label, text }) => (
          <p key={label}>
            <b>{label}</b> <bdi>{isOpen.value ? text : text.slice(0, FOLDED_CHARACTERS)}</bdi>{' '}
          </p>
        ))}
      </div>
      <button
        type="button"
        class="asked-button button-quiet"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isOpen.value ? 'Show less' : 'Show all'}
      </button>
      <EarlierTurns turns={history} />
      {children !== undefined && <div class="asked-more">{children}</div>}
    </section>
  );
}

function EarlierTurns({ turns = [] }: { turns: readonly Turn[] | undefined }) {
  return turns.length === 0 ? null : (
    <Fold class="finding" summary={`Earlier turns (${turns.length})`}>
      {() => (
        <div class="asked-words" tabIndex={0} role="group" aria-label="Earlier turns">
          {turns.map(({ role, content }, index) => (
            <p key={index}>
              <b>{role === 'user' ? 'User' : 'Assistant'}</b>
              <bdi>{content}</bdi>
            </p>
          ))}
        </div>
      )}
    </Fold>
  );
}

/** True if the folded text has more lines than are shown, at this width. */
function useIsCut(words: { current: HTMLElement | null }): boolean {
  const isCut = useSignal(false);
  useEffect(() => {
    const element = words.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      isCut.value = element.scrollHeight > element.clientHeight + 1;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isCut.value;
}
