import { Money } from '../../common/money';
import { MIN_ROUNDS, MIN_SERIAL_RATIO, type Lead, type Rival } from '../statistics/leader';
import { sixDigits } from '../statistics/rounding';

/** The measure that a model leads in, the medians (milliseconds or USD) and the time that the eval took. */
export interface LeadMeasure {
  measure: 'latency' | 'cost';
  median: number | undefined;
  rivalMedian: number | undefined;
  durationMs: number;
}

const WORDS = {
  latency: { verb: 'took', ahead: 'faster', ratio: 'as long', more: 'longer' },
  cost: { verb: 'cost', ahead: 'cheaper', ratio: 'as much', more: 'more' },
};

export function leadInWords(model: string, { confident, pValue, rival }: Lead, of: LeadMeasure): string {
  const { measure, median, rivalMedian } = of;
  if (rival === undefined) return 'No other model answered.';
  if (pValue === null && !rival.isSettled)
    return `${roundsOf(rival.rounds)} answered by both ${model} and ${rival.name}; to tell a difference from luck takes at least ${MIN_ROUNDS}.`;
  if (!confident && median === rivalMedian)
    return `${model} and ${rival.name} have the same median ${measure} (${amount(measure, median)}).`;
  return `${model} has the lowest median ${measure} (${amount(measure, median)}). ${sizeOf(rival, of)}${confident ? '.' : doubtOf(rival, measure)}`;
}

/** How far behind the rival is: "In these 10 rounds within 14 seconds b took 2 × (1.8 to 2.2) as long". */
function sizeOf({ name, rounds, isSettled, ratio, interval }: Rival, { measure, durationMs }: LeadMeasure): string {
  const words = WORDS[measure];
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  const within = measure === 'latency' ? ` within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}` : '';
  const factor = (value: number) => String(Number(value.toPrecision(3)));
  const size =
    ratio === Infinity
      ? words.more
      : `${factor(ratio)} ×${interval === null ? '' : ` (${interval.map(factor).join(' to ')})`} ${words.ratio}`;
  return `In ${isSettled ? 'each of ' : ''}these ${rounds} rounds${within} ${name} ${words.verb} ${size}`;
}

function doubtOf({ isBehind, lost, rounds, ratio }: Rival, measure: LeadMeasure['measure']): string {
  if (!isBehind) return `. It was ${WORDS[measure].ahead} in ${lost} of ${rounds}, so the lead may be luck.`;
  return measure === 'latency' && ratio < MIN_SERIAL_RATIO
    ? `. A lead counts only from ${MIN_SERIAL_RATIO} × on, because moments differ as much.`
    : ', which may be luck.';
}

function roundsOf(rounds: number): string {
  return ['No round was', 'Only one round was'][rounds] ?? `Only ${rounds} rounds were`;
}

function amount(measure: LeadMeasure['measure'], median = 0): string {
  return measure === 'latency' ? `${sixDigits(median)} ms` : `${Money.fromNumber(sixDigits(median)).toString()} USD`;
}
