const FENCE = '```';
const FENCED = /```[^\n`]*\n([^]*?)```/g;
const OPENING = /[{[](?=\s*["{[\]}\-\dtfn])/g;

/**
 * The JSON text in an answer: without the one code fence, and white space that JSON does not know, where a fence is
 * allowed.
 */
export function jsonTextIn(text: string, allowFence: boolean): string {
  if (!allowFence) return text;
  const trimmed = text.trim();
  if (trimmed.length < 2 * FENCE.length || !trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE)) return trimmed;
  const firstLine = trimmed.indexOf('\n');
  return firstLine < 0 ? trimmed : trimmed.slice(firstLine + 1, -FENCE.length);
}

/**
 * The first JSON in an answer with prose around it: the content of a code fence, or else an object or an array.
 * Undefined where there is none.
 */
export function jsonTextWithin(text: string): string | undefined {
  if (isJson(text)) return text;
  for (const [, fenced = ''] of text.matchAll(FENCED)) if (isJson(fenced)) return fenced;
  for (const { index } of text.matchAll(OPENING)) {
    const found = text.slice(index, endOfBrackets(text, index));
    if (isJson(found)) return found;
  }
  return undefined;
}

/** Where the bracket at a position is closed, brackets in texts left out; the position itself where it is not. */
function endOfBrackets(text: string, start: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if ('{['.includes(token[0])) depth += 1;
    else if ('}]'.includes(token[0])) depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return start;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
