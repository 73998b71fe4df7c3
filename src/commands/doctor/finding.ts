/**
 * `warning` for what works and may cost money, data or time one day; `broken` for what does not work, or loses data.
 */
export type Status = 'ok' | 'warning' | 'broken';

/** The result of a diagnosis: one or two sentences about the state and what to do. No secrets. */
export interface Judgment {
  status: Status;
  message: string;
}

/** A judgment under the name of its diagnosis. */
export interface NamedJudgment extends Judgment {
  diagnosis: string;
}

export const ok = (message: string): Judgment => ({ status: 'ok', message });
export const warning = (message: string): Judgment => ({ status: 'warning', message });
export const broken = (message: string): Judgment => ({ status: 'broken', message });
