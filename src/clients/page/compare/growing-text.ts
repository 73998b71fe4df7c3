import { splitAppended } from './text-blocks';

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
