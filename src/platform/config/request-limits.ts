import { requestLimits } from './environment';
import { environmentVariables } from './process-environment';

/**
 * The limits of a request, for the decorators of DTOs and through them the API document.
 * Read when this module is loaded and not from the injected `Config`, because decorators run when their class is
 * defined, before anything is injected.
 * Invalid variables give the defaults here; `Config.read` then stops the start and names them.
 */
export const REQUEST_LIMITS = Object.freeze(
  requestLimits.safeParse(environmentVariables()).data ?? requestLimits.parse({}),
);

/** Characters of a prompt with the input put in place of every `{input}`, or appended to it. */
export const MAX_FILLED_PROMPT_CHARACTERS = REQUEST_LIMITS.MAX_PROMPT_CHARACTERS + REQUEST_LIMITS.MAX_INPUT_CHARACTERS;

/** In JSON a character may be an escape of six bytes. */
const BYTES_OF_A_CHARACTER = 6;
const BYTES_OF_THE_REST = 65_536;

/** Bytes of a request body: 1 MiB, or more where the longest prompt and input need it. */
export const MAX_BODY_BYTES = Math.max(
  1_048_576,
  BYTES_OF_A_CHARACTER * MAX_FILLED_PROMPT_CHARACTERS + BYTES_OF_THE_REST,
);
