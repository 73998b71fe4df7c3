/** A figure beside its target. */
export interface Verdict {
  what: string;
  value: string;
  target: string;
  isMet: boolean;
}

/** A share that must not be smaller. */
export function atLeast(what: string, share: number, least: number): Verdict {
  return { what, value: percent(share), target: `≥ ${percent(least)}`, isMet: share >= least };
}

/** A figure that must not be larger. */
export function atMost(what: string, value: number, most: number, unit: string, digits = 2): Verdict {
  return { what, value: `${value.toFixed(digits)} ${unit}`, target: `≤ ${most} ${unit}`, isMet: value <= most };
}

/** 0.5 as 50 %. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
