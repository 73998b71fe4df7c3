import type { Preferences } from '../../client/client';
import { refusalOf } from '../confirmation';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { inBrackets, percent } from '../statistics';
import { cellText, type Table } from '../table';
import { oneLine } from '../text';

/** mcs erase: deletes the texts of an eval or an experiment for good, after a question on a terminal. */
export async function eraseCommand(
  context: Context,
  id: string,
  { yes }: CommonOptions & { yes?: boolean },
): Promise<number> {
  const { mcs, terminal } = context;
  const isExperiment = id.startsWith('exp_');
  const refused = await refusalOf(context, yes, {
    unasked: 'Erasing cannot be undone.',
    question: `Erase the prompt, ${isExperiment ? 'inputs' : 'input'} and answers of ${oneLine(id)} for good?`,
    declined: 'Nothing was erased.',
  });
  if (refused !== undefined) return refused;
  await (isExperiment ? mcs.experiments : mcs.evals).erase(id);
  terminal.note(
    isExperiment
      ? 'Its texts are erased now; rows that run end first. Charges, figures and the summary stay.'
      : 'Erased. Its charge stays on record.',
  );
  return EXIT.done;
}

/** mcs open: shows an eval in the browser, or prints its address where there is none. */
export async function openCommand(
  { system, mcs, terminal, settings }: Context,
  id: string | undefined,
): Promise<number> {
  // So that a wrong id is said here and not in the browser.
  if (id !== undefined) await mcs.evals.get(id);
  const address = id === undefined ? `${settings.url}/` : `${settings.url}/evals/${encodeURIComponent(id)}`;
  if (await system.openBrowser(address)) terminal.note(`Opened ${address}`);
  else terminal.print(address);
  return EXIT.done;
}

/** mcs prefer: keeps which answer is better; a new choice replaces the earlier one. */
export async function preferCommand(
  { mcs, terminal }: Context,
  id: string,
  preferred: string,
  { reason, json }: CommonOptions & { reason?: string },
): Promise<number> {
  const preference = await mcs.evals.prefer(id, { preferred, blind: false, ...(reason !== undefined && { reason }) });
  if (json === true) terminal.printJson(preference);
  else terminal.note(`Stored. To take it back: mcs unprefer ${oneLine(id)}`);
  return EXIT.done;
}

/** mcs unprefer: takes the choice back. */
export async function unpreferCommand({ mcs, terminal }: Context, id: string): Promise<number> {
  await mcs.evals.unprefer(id);
  terminal.note('This eval has no choice of this key now.');
  return EXIT.done;
}

/** mcs preferences: which models were preferred, pair by pair. */
export async function preferencesCommand(
  { mcs, terminal }: Context,
  { models, since, json }: CommonOptions & { models?: string; since?: string },
): Promise<number> {
  const preferences = await mcs.preferences({ models: models?.split(',').map((model) => model.trim()), since });
  if (json === true) terminal.printJson(preferences);
  else {
    terminal.printTable(terminal.isWatched ? pairsTable(preferences) : pairsColumns(preferences));
    if (terminal.isWatched)
      terminal.printSentences(
        preferences.pairs.length === 0
          ? 'No choice between two models yet: mcs prefer stores one.'
          : 'Brackets show the 95 % interval.',
      );
  }
  return EXIT.done;
}

/** For people: how often the first model was preferred to the other. */
function pairsTable({ pairs }: Preferences): Table {
  return {
    head: ['model', 'other', 'preferred', 'ties', 'share'],
    lines: pairs.map(({ models: [model, other], preferred: { a, ties }, evals, rate, ci }) => [
      model,
      other,
      `${a} of ${evals}`,
      String(ties),
      rate === null ? '-' : `${percent(rate)} ${inBrackets(ci, percent)}`,
    ]),
    right: [3],
    flexible: 0,
    optional: [3],
  };
}

/** For programs: every figure in a separate column. */
function pairsColumns({ pairs }: Preferences): Table {
  return {
    head: ['model', 'other', 'for_model', 'for_other', 'ties', 'evals', 'rate', 'rate_low', 'rate_high'],
    lines: pairs.map(({ models: [model, other], preferred: { a, b, ties }, evals, rate, ci }) =>
      [model, other, a, b, ties, evals, rate, ci?.[0], ci?.[1]].map(cellText),
    ),
    flexible: 0,
  };
}

/** mcs note and mcs star: change what an eval is remembered by. */
export async function annotateCommand(
  { mcs, terminal }: Context,
  id: string,
  change: { note?: string | null; starred?: boolean },
  { json }: CommonOptions,
): Promise<number> {
  const annotation = await mcs.evals.annotate(id, change);
  if (json === true) terminal.printJson(annotation);
  else terminal.note(annotation.starred ? 'Stored. This eval has a star.' : 'Stored.');
  return EXIT.done;
}
