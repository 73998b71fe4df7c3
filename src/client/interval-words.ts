/** The meaning of an interval, and the price of looking again; the page, the command line and docs/evaluation.md use the same words. */
export const INTERVAL_MEANING = 'In 19 of 20 such evals, the interval holds the true value for this prompt at this hour.';
export const LOOKING_AGAIN = 'Running again until a lead is sure finds one among equal models too.';
