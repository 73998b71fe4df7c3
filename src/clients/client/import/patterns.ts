import { fail } from './notes';

const NO_RE2 = /\(\?<?[=!]|\\[1-9]|\\k</;
/** Escapes, opened classes, and single characters. The class of all characters is one token. */
const TOKEN = /\[(?:\\s\\S|\\S\\s)\]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\[^]|\[\^?|[^]/g;
/** Escapes that mean the same in both languages: punctuation and these letters. */
const COMMON = /^\\(?:[ -/:-@[-`{-~bBdDfnrtvwW]|x..)$/;
const COMMON_IN_CLASS = /^\\(?:[ -/:-@[-`{-~dDfnrtvwW]|x..)$/;
/** A character by its code, but no half of a pair. */
const CODE_UNIT = /^\\u(?!d[89a-f])..../i;
/** The characters of \s in JavaScript; RE2 knows those of ASCII. */
const SPACES = String.raw`\s\v\pZ\x{FEFF}`;
const SPECIAL = /[\\^$.|?*+()[\]{}]/g;

/** @throws Unconverted if a pattern, or a schema as JSON, has parts that RE2 has not */
export function refuseBacktracking(text: string): void {
  if (NO_RE2.test(text)) fail('has look-around or a back-reference, which RE2 lacks');
}

/** Translates a pattern of JavaScript into one of RE2. @throws Unconverted */
export function re2Of(pattern: string): string {
  refuseBacktracking(pattern);
  try {
    RegExp(pattern);
  } catch {
    fail('is no pattern of JavaScript, so promptfoo fails every answer');
  }
  let [isInClass, isFirst] = [false, false];
  return pattern.replace(TOKEN, (token) => {
    const wasFirst = isFirst;
    isFirst = !isInClass && (token === '[' || token === '[^');
    if (isFirst) isInClass = true;
    else if (token.startsWith('[') && isInClass) return `\\${token}`;
    else if (token === ']' && isInClass) isInClass = wasFirst ? fail('has an empty class, which RE2 lacks') : false;
    return token.startsWith('\\') ? escapeOf(token, isInClass) : token;
  });
}

function escapeOf(token: string, isInClass: boolean): string {
  if (token === '\\s') return isInClass ? SPACES : `[${SPACES}]`;
  if (token === '\\S' && !isInClass) return `[^${SPACES}]`;
  if (CODE_UNIT.test(token)) return `\\x{${token.slice(2)}}`;
  return (isInClass ? COMMON_IN_CLASS : COMMON).test(token)
    ? token
    : fail(`has ${token}${isInClass ? ' in a class' : ''}, which RE2 reads in another way`);
}

/** A pattern that finds this text; the service fills in and escapes the variables with these names. */
export function literalPattern(text: string, names: ReadonlySet<string>): string {
  return text
    .replace(SPECIAL, '\\$&')
    .replace(/\\\{(\w+)\\\}/g, (escaped, name: string) => (names.has(name) ? `{${name}}` : escaped));
}
