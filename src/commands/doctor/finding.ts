/** `warning` for what works and may cost money, data or time one day; `broken` for what does not work, or loses data. */
export type Status = 'ok' | 'warning' | 'broken';

/** The result of a diagnosis: one or two sentences about the state and what to do. No secrets. */
export interface Verdict {
  status: Status;
  message: string;
}

/** A verdict under the name of its diagnosis. */
export interface Finding extends Verdict {
  diagnosis: string;
}

export const ok = (message: string): Verdict => ({ status: 'ok', message });
export const warning = (message: string): Verdict => ({ status: 'warning', message });
export const broken = (message: string): Verdict => ({ status: 'broken', message });
