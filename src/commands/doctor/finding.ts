/** How good a thing is: `warning` for what works and may cost money, data or time one day; `broken` for what does not work, or loses data. */
export type Status = 'ok' | 'warning' | 'broken';

/** A finding of the doctor. */
export interface Finding {
  /** The subject, in one word. */
  check: string;
  status: Status;
  /** One or two sentences: what is there, and what to do about it. No secrets. */
  message: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warning = (check: string, message: string): Finding => ({ check, status: 'warning', message });
export const broken = (check: string, message: string): Finding => ({ check, status: 'broken', message });

/** The worst of them. */
export function worstOf(findings: readonly Finding[]): Status {
  const has = (status: Status) => findings.some((finding) => finding.status === status);
  return has('broken') ? 'broken' : has('warning') ? 'warning' : 'ok';
}

/** A number of bytes as people say it. */
export function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1);
  const value = count / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
