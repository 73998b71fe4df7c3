import { useSignal, type ReadonlySignal } from '@preact/signals';
import type { Token } from 'marked';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { monotonicMs } from '../clock';
import { Blocks } from './blocks';
import { blockElement } from './elements';

const MIN_PAUSE_MS = 100;
/** A text that is hard to read takes at most this part of the time. */
const MAX_SHARE = 0.2;
/** Characters of a long text that are read in one go, so that nothing else has to wait. */
const MAX_STEP = 8_000;

/** An answer with its formatting, read again at most ten times a second while it is written. */
export function Formatted({ text, isWriting }: { text: ReadonlySignal<string>; isWriting: boolean }) {
  const reader = useRef<Reader | undefined>(undefined);
  reader.current ??= new Reader();
  const elements = useSignal<readonly VNode[]>([]);
  const wasRead = useRef(false);
  if (!wasRead.current) {
    wasRead.current = true;
    elements.value = reader.current.step(text.peek(), !isWriting);
  }
  useEffect(
    () =>
      followText(text, isWriting, (whole) => {
        elements.value = reader.current?.step(whole, !isWriting) ?? [];
        return reader.current?.isBehind(whole) ?? false;
      }),
    [text, isWriting],
  );
  return <div class="answer-formatted">{elements.value}</div>;
}

/** Reads a text in steps; a finished block keeps its element, which then costs nothing to show again. */
class Reader {
  private readonly blocks = new Blocks();
  private readonly elements = new WeakMap<Token, VNode>();
  private length = 0;

  step(whole: string, hasEnded: boolean): readonly VNode[] {
    this.length = Math.min(whole.length, this.length + MAX_STEP);
    const isAll = this.length === whole.length;
    const tokens = isAll && hasEnded ? this.blocks.end(whole) : this.blocks.update(whole.slice(0, this.length));
    return tokens.filter(({ type }) => type !== 'space' && type !== 'def').map((token) => this.elementOf(token));
  }

  isBehind(whole: string): boolean {
    return this.length < whole.length;
  }

  private elementOf(token: Token): VNode {
    const element = this.elements.get(token) ?? blockElement(token);
    this.elements.set(token, element);
    return element;
  }
}

/** Reads whenever the text has grown, after a pause; goes on by itself while it is behind. Returns what ends it. */
function followText(text: ReadonlySignal<string>, isWriting: boolean, read: (text: string) => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = isWriting ? MIN_PAUSE_MS : 0;
  const turn = (): void => {
    timer = undefined;
    const started = monotonicMs();
    const isBehind = read(text.peek());
    const costMs = monotonicMs() - started;
    pauseMs = Math.max(isWriting ? MIN_PAUSE_MS : 0, costMs / MAX_SHARE - costMs);
    if (isBehind) schedule();
  };
  const schedule = (): void => {
    timer ??= setTimeout(turn, pauseMs);
  };
  const unsubscribe = text.subscribe(schedule);
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}
