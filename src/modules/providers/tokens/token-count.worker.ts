import { countTokens } from './token-count';

/** Counts the tokens of a text, in a thread: a long text takes seconds. */
export const run = countTokens;
