import { Money } from '../common/money';
import { MIN_ROUNDS, type Lead } from '../statistics/leader';
import { sixDigits } from '../statistics/rounding';

/** What a model leads in, and by which medians: milliseconds or USD. */
export interface LeadMeasure {
  measure: 'latency' | 'cost';
  median: number | undefined;
  rivalMedian: number | undefined;
}

/** Why a lead is sure or not, in a sentence or two. */
export function leadInWords(model: string, { confident, pValue, rival }: Lead, { measure, median, rivalMedian }: LeadMeasure): string {
  if (rival === undefined) return 'No other model answered.';
  if (pValue === null) return `${roundsOf(rival.rounds)} answered by both ${model} and ${rival.name}; to tell a difference from luck takes at least ${MIN_ROUNDS}.`;
  if (!confident && median === rivalMedian) return `${model} and ${rival.name} have the same median ${measure} (${amount(measure, median)}).`;
  const lead = `${model} has the lowest median ${measure} (${amount(measure, median)}).`;
  const luck = `Were it no ${measure === 'latency' ? 'faster' : 'cheaper'} than ${rival.name}, a difference like this would show with a probability of ${sixDigits(pValue)}`;
  return `${lead} ${luck}${confident ? '.' : ', so it may be luck.'}`;
}

function roundsOf(rounds: number): string {
  if (rounds === 0) return 'No round was';
  return rounds === 1 ? 'Only one round was' : `Only ${rounds} rounds were`;
}

function amount(measure: LeadMeasure['measure'], median = 0): string {
  return measure === 'latency' ? `${sixDigits(median)} ms` : `${Money.fromNumber(sixDigits(median)).toString()} USD`;
}
