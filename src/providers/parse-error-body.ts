/** What a vendor's error body says, whatever its shape. */
export interface ErrorBodyFacts {
  /** Its machine-readable words: types, codes and reasons, joined. */
  codes: string;
  message: string | undefined;
  /** An HTTP status that stands in the body, as OpenRouter's does. */
  status: number | undefined;
}

const KIND_MEMBERS = ['type', 'code', 'status', 'reason', 'error_type', 'provider_code', 'error_code'];
const NESTED_MEMBERS = ['error', 'details', 'metadata', 'detail', 'message', 'availability'];
const DEEPEST = 5;

/**
 * Reads OpenAI's `{error:{…}}`, Google's array of one, Mistral's flat object and `{detail}`, xAI's `{code, error: "text"}`
 * and OpenRouter's metadata alike: machine words are gathered wherever they stand, the first sentence is the message.
 */
export function parseErrorBody(body: unknown): ErrorBodyFacts {
  const words: ErrorBodyFacts = { codes: '', message: undefined, status: undefined };
  collect(body, words, 0);
  return words;
}

function collect(value: unknown, words: ErrorBodyFacts, depth: number): void {
  if (depth > DEEPEST || value === null || value === undefined) return;
  if (typeof value === 'string') {
    words.message ??= value;
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, words, depth + 1);
  } else if (typeof value === 'object') {
    gatherObject(value as Record<string, unknown>, words, depth);
  }
}

function gatherObject(object: Record<string, unknown>, words: ErrorBodyFacts, depth: number): void {
  for (const member of KIND_MEMBERS) gatherWord(object[member], words);
  // OpenRouter's mark of a moderated prompt; the text beside it is the caller's and is not read.
  if ('flagged_input' in object) words.codes = `${words.codes} moderation`.trim();
  if (typeof object['message'] === 'string') words.message ??= object['message'];
  for (const member of NESTED_MEMBERS) collect(object[member], words, depth + 1);
}

function gatherWord(word: unknown, words: ErrorBodyFacts): void {
  if (typeof word === 'string') words.codes = `${words.codes} ${word}`.trim();
  if (typeof word === 'number' && word >= 400 && word < 600) words.status ??= word;
}
