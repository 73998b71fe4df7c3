import type { Ground } from './ground';
import type { Figures, Meter, Ratio } from './measure';
import type { Load, ServerProgram } from './processes';
import type { Past } from './scenarios';
import type { Verdict } from './verdict';

/** One of the two servers with the contents of its database. */
export interface Contender {
  server: ServerProgram;
  past: Past;
}

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
