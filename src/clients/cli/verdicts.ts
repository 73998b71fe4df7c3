import type { Result } from '../client/client';
import { oneLine, truncate, type Paint, type Style } from './text';

type Verdicts = NonNullable<Result['checks']>;

const MARKS: Record<Verdicts[number]['outcome'], { sign: string; style: Style }> = {
  pass: { sign: '✓', style: 'green' },
  fail: { sign: '✗', style: 'red' },
  error: { sign: '?', style: 'yellow' },
  skipped: { sign: '-', style: 'dim' },
};

/** A line for each check of an answer, with the reason where it has one. */
export function verdictLines(verdicts: Verdicts, width: number, paint: Paint): string[] {
  return verdicts.map(({ name, outcome, reason }) =>
    paint(
      MARKS[outcome].style,
      truncate(`${MARKS[outcome].sign} ${oneLine(name)}${reason === undefined ? '' : `: ${oneLine(reason)}`}`, width),
    ),
  );
}

/** All checks of an answer, for a column: `greeting pass, short fail`. */
export function verdictWords(verdicts: Verdicts = []): string {
  return verdicts.map(({ name, outcome }) => `${name} ${outcome}`).join(', ');
}

/** True if a check failed an answer, or could not decide about it. */
export function hasFailedCheck(results: readonly Pick<Result, 'checks'>[]): boolean {
  return results.some(({ checks = [] }) => checks.some(({ outcome }) => outcome === 'fail' || outcome === 'error'));
}
