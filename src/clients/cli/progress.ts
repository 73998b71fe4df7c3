import type { Experiment } from '../client/client';
import { shortAmount } from '../client/amount-text';
import type { Terminal } from './terminal';
import { truncate } from './text';

const BAR_WIDTH = 20;
const STEPS_OF_LINES = 10;

/** How far an experiment is: "150 of 300 rows, 2 failed · $1.20 of $4.00 · 5 min left". */
export function progressWords({
  rows: { total, done, failed },
  cost_usd: cost,
  max_cost_usd: cap,
  eta_seconds: seconds,
  projected_cost_usd: projected,
}: Experiment): string {
  const counts = `${done + failed} of ${total} rows${failed > 0 ? `, ${failed} failed` : ''}`;
  return [
    counts,
    `${shortAmount(cost)} of ${shortAmount(cap)}`,
    ...(projected === null ? [] : [`likely ${shortAmount(String(projected))} in all`]),
    ...(seconds === null ? [] : [`${duration(seconds)} left`]),
  ].join(' · ');
}

/** Shows an experiment while it runs: a bar on a terminal, elsewhere a line on standard error for each tenth. */
export class Progress {
  private lastStep = -1;

  constructor(
    private readonly terminal: Terminal,
    private readonly hasBar: boolean,
  ) {}

  show(experiment: Experiment): void {
    const {
      rows: { total, done, failed },
    } = experiment;
    const share = total === 0 ? 1 : (done + failed) / total;
    const step = Math.floor(share * STEPS_OF_LINES);
    const words = progressWords(experiment);
    if (this.hasBar) this.terminal.draw([truncate(`${barOf(share)} ${words}`, Math.max(1, this.terminal.width - 1))]);
    else if (step > this.lastStep) this.terminal.note(words);
    this.lastStep = step;
  }

  /** Removes the bar. */
  end(): void {
    if (this.hasBar) this.terminal.erase();
  }
}

function barOf(share: number): string {
  const full = Math.floor(share * BAR_WIDTH);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
