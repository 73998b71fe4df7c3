/** How much a model thinks before it writes, from least to most. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** One of the efforts. */
export type Effort = (typeof EFFORTS)[number];
