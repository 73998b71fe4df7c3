import type { Agreement } from '../../client/client';
import { toApiJson } from '../../client/amount-text';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { percent } from '../statistics';

/** mcs agreement: which models of an eval say the same; nothing is called and nothing charged. */
export async function agreementCommand({ mcs, terminal }: Context, id: string, { json }: CommonOptions): Promise<number> {
  const agreement = await mcs.evals.agreement(id);
  if (json === true) terminal.printJson(toApiJson(agreement));
  else {
    terminal.printTable(terminal.isWatched ? matrix(agreement) : pairs(agreement));
    if (terminal.isWatched) {
      terminal.print('');
      terminal.printSentences(...words(agreement));
    }
  }
  return EXIT.done;
}

/** For people: how often the answers of two models agree, and how similar they are. */
function matrix({ models, matrix: cells }: Agreement) {
  return {
    head: ['model', ...models],
    lines: models.map((model, i) => [model, ...(cells[i] ?? []).map((pair) => (pair === null ? '-' : `${percent(pair.agree)} (${pair.similarity.toFixed(2)})`))]),
    flexible: 0,
  };
}

/** For programs: a line for each pair. */
function pairs({ models, matrix: cells }: Agreement) {
  return {
    head: ['model', 'other', 'agree', 'similarity'],
    lines: models.flatMap((model, i) => models.slice(i).map((other, j) => [model, other, String(cells[i]?.[i + j]?.agree ?? ''), String(cells[i]?.[i + j]?.similarity ?? '')])),
    flexible: 0,
  };
}

function words({ models: all, groups, consensus }: Agreement): string[] {
  return [
    'How often two answers agree, and in brackets how similar they are, from 0 to 1.',
    // A model that was asked alone is no news.
    ...groups.filter(() => all.length > 1).map((models) => `${models.join(', ')}: ${models.length === 1 ? 'alone with what it says' : 'say the same'}.`),
    ...(consensus === null ? [] : [`The most common answer is ${percent(consensus.share)} of all; it was given by ${consensus.models.join(', ')}.`]),
  ];
}
