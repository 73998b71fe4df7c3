import { Lexer, Tokenizer, type MarkedOptions, type Token, type Tokens, type TokensList } from 'marked';

/** How deep quotes and lists may lie in each other; deeper ones are text. */
const MAX_DEPTH = 12;
/** How many cells a table may have, the missing ones of short rows too. */
const MAX_CELLS = 5_000;
/**
 * Some rules of the library take time quadratic in a text's length, so texts within a block are read in pieces of this
 * number of characters.
 */
const MAX_INLINE_PIECE = 2_000;
/** A longer text within a block is not prose: it is left unformatted. */
const MAX_INLINE = 20_000;

/**
 * A formula in the marks of TeX. Beside dollars there is no blank, and no letter or digit follows: prices and variables
 * are none.
 */
const FORMULA =
  /^(?:\$\$[^$]{1,300}\$\$|\$(?!\s)[^$\n]{0,200}[\\^_=+<>{}][^$\n]{0,100}(?<!\s)\$(?!\w)|\$[a-zA-Z]\$|\\\([^\n]{1,300}?\\\)|\\\[[^]{1,300}?\\\])/;

/** Formulas are shown raw, like code. */
const FORMULAS: NonNullable<MarkedOptions['extensions']> = {
  renderers: {},
  childTokens: {},
  inline: [
    (src) => {
      const [raw] = FORMULA.exec(src) ?? [];
      return raw === undefined ? undefined : { type: 'codespan', raw, text: raw };
    },
  ],
  startInline: [
    (src) => {
      const start = src.search(/[$\\]/);
      return start < 0 ? undefined : start;
    },
  ],
};

/** Reads Markdown (GFM) into tokens, in a time linear in the length of any text. */
export function lexMarkdown(markdown: string): TokensList {
  return new BoundedLexer().lex(markdown);
}

class BoundedTokenizer extends Tokenizer {
  private depth = 0;
  private isTableRefused = false;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.within(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.within(() => super.list(src));
  }

  override table(src: string): Tokens.Table | undefined {
    const [all = '', header = ''] = this.rules.block.table.exec(src) ?? [];
    // Once one was too large, the next lines are not tried again, one after the other.
    this.isTableRefused ||= header.split('|').length * all.split('\n').length > MAX_CELLS;
    return this.isTableRefused || all === '' ? undefined : super.table(src);
  }

  private within<T>(read: () => T | undefined): T | undefined {
    if (this.depth >= MAX_DEPTH) return undefined;
    this.depth += 1;
    try {
      return read();
    } finally {
      this.depth -= 1;
    }
  }
}

class BoundedLexer extends Lexer {
  constructor() {
    const options: MarkedOptions = { gfm: true, breaks: true, tokenizer: new BoundedTokenizer(), extensions: FORMULAS };
    super(options);
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= MAX_INLINE_PIECE) return super.inlineTokens(src, tokens);
    if (src.length > MAX_INLINE) tokens.push({ type: 'text', raw: src, text: src });
    else for (const piece of piecesOf(src)) super.inlineTokens(piece, tokens);
    return tokens;
  }
}

/** Cut at the end of a line, else of a word, else anywhere but within a character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + cutOf(text.slice(start, start + MAX_INLINE_PIECE));
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function cutOf(piece: string): number {
  if (piece.length < MAX_INLINE_PIECE) return piece.length;
  const line = piece.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  const word = piece.lastIndexOf(' ') + 1;
  if (word > 0) return word;
  return /[\ud800-\udbff]$/.test(piece) ? piece.length - 1 : piece.length;
}
