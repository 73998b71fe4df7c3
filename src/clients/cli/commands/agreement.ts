import stringWidth from 'string-width';
import type { Agreement } from '../../client/client';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { percent } from '../statistics';
import { cellText, type Table } from '../table';

/** As wide as the cells below it. */
const MAX_HEAD_WIDTH = 12;

/** mcs agreement: which models of an eval say the same; nothing is called and nothing charged. */
export async function agreementCommand(
  { mcs, terminal }: Context,
  id: string,
  { json }: CommonOptions,
): Promise<number> {
  const agreement = await mcs.evals.agreement(id);
  if (json === true) terminal.printJson(agreement);
  else {
    terminal.printTable(terminal.isWatched ? matrix(agreement) : pairs(agreement));
    if (terminal.isWatched) {
      terminal.print('');
      terminal.printSentences(...words(agreement));
    }
  }
  return EXIT.done;
}

/**
 * For people: how often the answers of two models agree, and how similar they are. Names too long for the head of a
 * column are replaced by numbers there.
 */
function matrix({ models, matrix: cells }: Agreement): Table {
  const areShort = models.every((model) => stringWidth(model) <= MAX_HEAD_WIDTH);
  return {
    head: ['model', ...models.map((model, i) => (areShort ? model : String(i + 1)))],
    lines: models.map((model, i) => [
      areShort ? model : `${i + 1} ${model}`,
      ...(cells[i] ?? []).map((pair) =>
        pair === null ? '-' : `${percent(pair.agree)} (${pair.similarity.toFixed(2)})`,
      ),
    ]),
    flexible: 0,
  };
}

/** For programs: a line for each pair. */
function pairs({ models, matrix: cells }: Agreement): Table {
  return {
    head: ['model', 'other', 'agree', 'similarity'],
    lines: models.flatMap((model, i) =>
      models
        .slice(i)
        .map((other, j) => [model, other, cellText(cells[i]?.[i + j]?.agree), cellText(cells[i]?.[i + j]?.similarity)]),
    ),
    flexible: 0,
  };
}

function words({ models: all, groups, consensus }: Agreement): string[] {
  return [
    'Cells show agreement and, in brackets, similarity from 0 to 1.',
    // A model that was asked alone is no news.
    ...groups
      .filter(() => all.length > 1)
      .map((models) => `${models.join(', ')}: ${models.length === 1 ? 'agrees with no other model' : 'agree'}.`),
    ...(consensus === null
      ? []
      : [
          `The most common answer is ${percent(consensus.share)} of all answers. It came from ${consensus.models.join(', ')}.`,
        ]),
  ];
}
