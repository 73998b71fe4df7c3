import type { Contender } from './duel';
import type { Ground } from './ground';
import type { Figures, Meter, Ratio } from './measure';
import type { Load } from './processes';
import type { Verdict } from './verdict';

/** The tools that all parts of the bench share. */
export interface Bench {
  ground: Ground;
  load: Load;
  meter: Meter;
  service: Contender;
  yardstick: Contender;
}

/** The result of a part. */
export interface PartResult {
  name: string;
  /** Of each that took turns. */
  figures?: Record<string, Figures>;
  ratios?: Record<string, Ratio>;
  /** Figures of other kinds, with their units in their names. */
  values?: Record<string, number>;
  verdicts: Verdict[];
}
