interface ErrorBodyFacts {
  /** Its machine-readable types, codes and reasons, joined by spaces. */
  codes: string;
  message: string | undefined;
  /** The member of the request that it names, such as `reasoning_effort` or `output_config.format`. */
  param?: string | undefined;
  /** An HTTP status in the body, as OpenRouter sends it. */
  status: number | undefined;
}

const CODE_MEMBERS = ['type', 'code', 'status', 'reason', 'error_type', 'provider_code', 'error_code'];
const NESTED_MEMBERS = ['error', 'details', 'metadata', 'detail', 'message', 'availability', 'fieldViolations'];
/** OpenAI's, Google's, and those of a validation by pydantic (Mistral, vLLM), which are lists. */
const PARAM_MEMBERS = ['param', 'field', 'loc'];
const MAX_DEPTH = 6;

/**
 * Reads OpenAI's `{error:{…}}`, Google's array of one, Mistral's flat object and `{detail}`, xAI's `{code, error:
 * "text"}`
 * and OpenRouter's metadata alike: codes are collected from any position, the first sentence is the message.
 */
export function parseErrorBody(body: unknown): ErrorBodyFacts {
  const facts: ErrorBodyFacts = { codes: '', message: undefined, status: undefined };
  collect(body, facts, 0);
  return facts;
}

function collect(value: unknown, facts: ErrorBodyFacts, depth: number): void {
  if (depth > MAX_DEPTH || value === null || value === undefined) return;
  if (typeof value === 'string') {
    facts.message ??= value;
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, facts, depth + 1);
  } else if (typeof value === 'object') {
    collectFromObject(value as Record<string, unknown>, facts, depth);
  }
}

function collectFromObject(object: Record<string, unknown>, facts: ErrorBodyFacts, depth: number): void {
  for (const member of CODE_MEMBERS) collectCode(object[member], facts);
  // OpenRouter's mark of a moderated prompt; the text beside it is the caller's and is not read.
  if ('flagged_input' in object) facts.codes = `${facts.codes} moderation`.trim();
  for (const sentence of [object['message'], object['msg']])
    if (typeof sentence === 'string') facts.message ??= sentence;
  for (const member of PARAM_MEMBERS) collectParam(object[member], facts);
  for (const member of NESTED_MEMBERS) collect(object[member], facts, depth + 1);
}

function collectParam(param: unknown, facts: ErrorBodyFacts): void {
  if (typeof param === 'string') facts.param ??= param;
  if (Array.isArray(param))
    facts.param ??= param.filter((part) => typeof part === 'string' && part !== 'body').join('.');
}

function collectCode(code: unknown, facts: ErrorBodyFacts): void {
  if (typeof code === 'string') facts.codes = `${facts.codes} ${code}`.trim();
  if (typeof code === 'number' && code >= 400 && code < 600) facts.status ??= code;
}
