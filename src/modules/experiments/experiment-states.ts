/** The states of an experiment. An erased one keeps its figures and no text. */
// eslint-disable-next-line local/plain-words -- the word of the interface
export const EXPERIMENT_STATES = ['running', 'paused', 'finished', 'cancelled', 'erasing', 'erased'] as const;

export type ExperimentState = (typeof EXPERIMENT_STATES)[number];
