import type { Token } from 'marked';
import { lexMarkdown } from './bounded-lexer';

/**
 * The blocks of a text that grows at its end: what is finished is read once, only what may still change is read again,
 * mostly the last block.
 * Links to definitions elsewhere in the text (`[a][1]` and `[1]: https://…`) are found when it has ended.
 */
export class Blocks {
  private finished: readonly Token[] = [];
  private last: readonly Token[] = [];
  private text = '';
  /** How many characters the finished blocks have. */
  private finishedLength = 0;
  private hasDefinitions = false;

  /**
   * All blocks of the text, which extends the previous text; a finished block stays the same object. Any other text
   * starts over.
   */
  update(text: string): readonly Token[] {
    if (!text.startsWith(this.text)) this.reset();
    this.text = text;
    const rest = text.slice(this.finishedLength);
    const tokens = lexMarkdown(rest);
    this.hasDefinitions ||= Object.keys(tokens.links).length > 0;
    const count = countFinished(tokens, rest);
    const raw = tokens
      .slice(0, count)
      .map((token) => token.raw)
      .join('');
    // The library normalizes some characters, such as line ends: if the blocks differ from the text, they do not count
    // as finished.
    if (count > 0 && rest.startsWith(raw)) {
      this.finished = [...this.finished, ...tokens.slice(0, count)];
      this.finishedLength += raw.length;
      this.last = tokens.slice(count);
    } else {
      this.last = tokens;
    }
    return this.all();
  }

  /** All blocks of a text that has ended. */
  end(text: string): readonly Token[] {
    this.update(text);
    if (this.hasDefinitions) {
      this.reset();
      this.last = lexMarkdown(text);
      this.text = text;
    }
    return this.all();
  }

  private all(): readonly Token[] {
    return [...this.finished, ...this.last];
  }

  private reset(): void {
    this.finished = [];
    this.last = [];
    this.finishedLength = 0;
    this.text = '';
    this.hasDefinitions = false;
  }
}

/**
 * The number of blocks that further text cannot change: all before the last block that follows a blank line and has a
 * complete first line.
 * Without a blank line a further line may join two blocks, such as a growing row of dashes; an incomplete line may
 * still belong to the list above it.
 */
function countFinished(tokens: readonly Token[], text: string): number {
  const wholeLines = text.lastIndexOf('\n') + 1;
  let [start, finished, before] = [0, 0, ''];
  tokens.forEach(({ type, raw }, index) => {
    const firstLine = /^\s*[^\n]*/.exec(raw)?.[0] ?? '';
    if (type !== 'space' && /\n[ \t]*\n[ \t]*$/.test(before) && start + firstLine.length < wholeLines) finished = index;
    start += raw.length;
    before = type === 'space' ? before + raw : raw;
  });
  return finished;
}
