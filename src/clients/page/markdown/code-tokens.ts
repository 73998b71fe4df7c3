/** A stretch of code in one color. */
interface CodeToken {
  kind: 'plain' | 'string' | 'comment' | 'word';
  text: string;
}

/** Longer code stays in one color, since every stretch is an element. */
const MAX_COLORED = 50_000;

/** How comments begin, by language. */
const HASH = new Set(
  'python py sh bash shell zsh console ruby rb yaml yml toml ini conf dockerfile makefile make r perl pl elixir ex powershell ps1 nix'.split(
    ' ',
  ),
);
const DASHES = new Set('sql mysql postgresql psql plpgsql lua haskell hs elm ada'.split(' '));
const SLASHES = new Set(
  'javascript js jsx mjs cjs typescript ts tsx json jsonc json5 java kotlin kt scala c h cpp c++ cc cs csharp go golang rust rs swift dart php css scss less groovy graphql proto solidity zig'.split(
    ' ',
  ),
);
/** An apostrophe is no quote in these. */
const WITHOUT_APOSTROPHES = new Set('rust rs haskell hs elm'.split(' '));
const KEYWORDS = new Set(
  (
    'abstract and as assert async await begin bool boolean break by case catch char class const constexpr continue create def default defer delete distinct do double drop elif else end enum except export extends ' +
    'extern false final finally float fn for foreach from func function global go goto group having if impl implements import in include insert instanceof int interface into is join lambda let limit long loop ' +
    'match mod module mut namespace new nil none not null of on or order override package pass private protected pub public raise readonly ref return returns select self set short sizeof static string struct super ' +
    'switch table template then this throw throws trait true try type typedef typeof undefined union unless unsafe unsigned until update use using val values var virtual void volatile when where while with yield'
  ).split(' '),
);

// Every alternative takes what it begins: an open quote or comment reaches to the end of its line or of the text, so
// that nothing is read twice.
const QUOTED = String.raw`"""[^]*?(?:"""|$)|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"?|${'`'}[^${'`'}\\]*(?:\\[^][^${'`'}\\]*)*${'`'}?`;
const APOSTROPHES = String.raw`'''[^]*?(?:'''|$)|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'?`;
const WORD = String.raw`[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*`;

/**
 * Code in three colors, for strings, comments, and keywords with numbers. Reads each character once; code of an unknown
 * language stays plain.
 */
export function codeTokens(code: string, language: string): CodeToken[] {
  const comment = commentOf(language);
  if (comment === undefined || code.length > MAX_COLORED) return [{ kind: 'plain', text: code }];
  const quoted = WITHOUT_APOSTROPHES.has(language) ? QUOTED : `${APOSTROPHES}|${QUOTED}`;
  const pattern = new RegExp(`(?<comment>${comment})|(?<string>${quoted})|(?<word>${WORD})`, 'gu');
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    append(tokens, 'plain', code.slice(end, index));
    append(
      tokens,
      groups['comment'] !== undefined
        ? 'comment'
        : groups['string'] !== undefined
          ? 'string'
          : isColored(text)
            ? 'word'
            : 'plain',
      text,
    );
    end = index + text.length;
  }
  append(tokens, 'plain', code.slice(end));
  return tokens;
}

function commentOf(language: string): string | undefined {
  if (HASH.has(language)) return '#[^\\n]*';
  if (DASHES.has(language)) return String.raw`--[^\n]*|/\*[^]*?(?:\*/|$)`;
  return SLASHES.has(language) ? String.raw`//[^\n]*|/\*[^]*?(?:\*/|$)` : undefined;
}

function isColored(word: string): boolean {
  return /^\d/.test(word) || KEYWORDS.has(word.toLowerCase());
}

/** Neighbors of one kind are one stretch. */
function append(tokens: CodeToken[], kind: CodeToken['kind'], text: string): void {
  const last = tokens.at(-1);
  if (last?.kind === kind) last.text += text;
  else if (text !== '') tokens.push({ kind, text });
}
