/**
 * Text in an element, in blocks of some lines: what is added changes the last block only, and the browser lays out
 * nothing else again.
 */
export class GrowingText {
  private shown = '';

  constructor(private readonly element: HTMLElement) {}

  /** Shows this text; appends to the previous text if it begins with it. */
  show(text: string): void {
    if (text === this.shown) return;
    if (!text.startsWith(this.shown)) this.clear();
    const last = this.element.lastElementChild;
    const [first = '', ...blocks] = splitAppended(last?.textContent?.length ?? 0, text.slice(this.shown.length));
    this.shown = text;
    if (last?.firstChild instanceof Text) last.firstChild.appendData(first);
    else blocks.unshift(first);
    this.element.append(...blocks.map(blockOf));
  }

  private clear(): void {
    this.element.replaceChildren();
    this.shown = '';
  }
}

function blockOf(text: string): HTMLElement {
  const block = document.createElement('div');
  block.append(document.createTextNode(text));
  return block;
}

/** A block ends at the first line break after this number of characters. */
const MIN_BLOCK_CHARACTERS = 400;

/**
 * Splits text that is added to a block of that length: the first part belongs to that block, each other part is a new
 * block. The line break between two
 * blocks is in neither, since blocks are rendered below each other anyway.
 */
export function splitAppended(length: number, added: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let missing = Math.max(0, MIN_BLOCK_CHARACTERS - length);
  for (;;) {
    const end = added.indexOf('\n', start + missing);
    if (end < 0) return [...parts, added.slice(start)];
    parts.push(added.slice(start, end));
    start = end + 1;
    missing = MIN_BLOCK_CHARACTERS;
  }
}
