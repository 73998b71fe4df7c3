import { isWritten } from './lead';
import type { Eval, Result, Statistics } from './types';

/** The price of looking again; the page, the command line and docs/evaluation.md use the same words. */
export const LOOKING_AGAIN = 'If you run again until a lead looks likely, you will find one between equal models too.';

/** The meaning of an interval over `rounds`, as everywhere in the documents. */
export function intervalMeaning(rounds: number): string {
  return `A range shows how far off a figure may be, for this prompt, in these ${rounds} rounds. Of 20 such ranges, 19 contain the figure that endless rounds at this hour would give.`;
}

/** The fastest or cheapest model by the rounds of an eval, in words for everybody. */
export interface LeadWords {
  /** Absent where the sentence is about all models. */
  model?: string;
  /** The rest of the sentence, such as "was fastest in 5 of 6 rounds." */
  claim: string;
  /** A sentence on luck; empty where nothing is claimed. */
  luck: string;
}

type Leader = Pick<NonNullable<Statistics['fastest']>, 'confident' | 'p_value'>;
type Sampled = Pick<Eval, 'models' | 'results' | 'statistics'>;

const MEASURES = {
  // A timeout is slower than every answer.
  fastest: {
    figureOf: ({ latency_ms: latency, error }: Result) => (error?.code === 'timeout' ? Infinity : Number(latency)),
    median: 'time',
    level: 'equally fast',
  },
  cheapest: { figureOf: ({ cost_usd: cost }: Result) => Number(cost), median: 'cost', level: 'equally cheap' },
};
/** With fewer rounds the service cannot tell a lead from luck. */
const MIN_ROUNDS = 6;

/** How likely a lead is more than luck; undefined where the service is not confident, whatever the p-value. */
export function likelihood({ confident, p_value: p }: Leader): 'likely' | 'very likely' | undefined {
  if (!confident) return undefined;
  return p !== null && p < 0.01 ? 'very likely' : 'likely';
}

/**
 * Says which model led in how many rounds; undefined with a single model, where all failed, and where a share link
 * hides the figures.
 */
export function leadWords(
  { models, results, statistics }: Sampled,
  kind: keyof typeof MEASURES,
): LeadWords | undefined {
  const leader = statistics?.[kind];
  const { figureOf, median, level } = MEASURES[kind];
  if (!leader || models.length === 1 || results.some((result) => Number.isNaN(figureOf(result)))) return undefined;
  const bests = bestOfRounds(models, results, kind);
  const rounds = bests.length;
  const won = bests.filter((best) => best.length === 1 && best[0] === leader.model).length;
  if (rounds === 0) return { claim: 'No round was answered by two models, so nothing can be compared.', luck: '' };
  if (bests.every((best) => best.length > 1 && best.includes(leader.model)))
    return { claim: `The leading models were ${level} in ${ofRounds(rounds, rounds)}.`, luck: '' };
  const claim =
    won > rounds / 2
      ? `was ${kind} in ${ofRounds(won, rounds)}.`
      : `has the lowest median ${median}, but was ${kind} in ${won === 0 ? 'none' : `only ${won}`} of ${rounds} rounds.`;
  return { model: leader.model, claim, luck: luckOf(leader, kind, rounds) };
}

function luckOf(leader: Leader, kind: keyof typeof MEASURES, rounds: number): string {
  const words = likelihood(leader);
  if (words !== undefined) return `That is ${words} more than luck.`;
  if (kind === 'fastest' && leader.p_value !== null && leader.p_value <= 0.05)
    return 'A busy moment can make a difference of this size.';
  return rounds < MIN_ROUNDS
    ? `That may be luck: it takes at least ${MIN_ROUNDS} rounds to tell.`
    : 'That may be luck.';
}

/** The best models of each round that two or more can be compared in; one of them where it is ahead of all. */
function bestOfRounds(models: readonly string[], results: readonly Result[], kind: keyof typeof MEASURES): string[][] {
  const { figureOf } = MEASURES[kind];
  // As the service counts: answers without text do not lead while another has some.
  const hasText = results.some(isWritten);
  const counts = (result: Result): boolean =>
    result.error === undefined ? !hasText || isWritten(result) : figureOf(result) === Infinity;
  const rounds = Array.from({ length: Math.ceil(results.length / models.length) }, (_, round) =>
    results.slice(round * models.length, (round + 1) * models.length).filter(counts),
  );
  return rounds
    .filter((round) => round.length > 1)
    .flatMap((round) => {
      const best = Math.min(...round.map(figureOf));
      return best === Infinity ? [] : [round.filter((result) => figureOf(result) === best).map(({ model }) => model)];
    });
}

function ofRounds(count: number, rounds: number): string {
  return count === rounds
    ? (['the only round', 'both rounds'][rounds - 1] ?? `all ${rounds} rounds`)
    : `${count} of ${rounds} rounds`;
}
