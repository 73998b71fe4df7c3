import { createHash } from 'node:crypto';
import type { Check } from '../checks/types';
import { baseModelId } from '../../common/model-arm';
import { defaultName } from '../checks/read-checks';
import type { Verdict } from '../checks/verdict';
import type { StoredEval } from '../evals/evals.service';
import { cheapest, fastest } from '../evals/ranking';
import type { Result } from '../evals/result.entity';

/** Names that are shorter may be words of any text. */
const MIN_NAME_CHARACTERS = 4;
/** How vendors date a version of a model. */
const DATE = String.raw`[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)(?!\d)`;
const DATE_AT_END = new RegExp(`${DATE}$`, 'i');

/**
 * The eval with its models under the names Model A, Model B …, in an order that only the seed decides; where a text
 * says the id of a model, it says that name.
 * Checks are called by type and position, because their own names may say a model's in other words.
 */
export function hideModelNames({ record, results }: StoredEval, seed: string): StoredEval {
  const order = shuffled(record.models, seed);
  const nameOf = (model: string) => `Model ${letter(order.indexOf(model))}`;
  const { system, history } = record.options ?? {};
  const rename = renamer(namesIn(results, nameOf));
  const named = <T extends Verdict | Check>(checks: readonly T[] | null) =>
    checks?.map((check, position) => ({ ...check, name: defaultName(check.type, position) })) ?? null;
  const renamed = reordered(record.models, order, results).map((result) => ({
    ...result,
    model: nameOf(result.model),
    output: rename(result.output),
    checks: named(result.checks),
  }));
  return {
    record: {
      ...record,
      models: order.map(nameOf),
      checks: named(record.checks),
      prompt: rename(record.prompt),
      input: record.input === null ? null : rename(record.input),
      options: record.options && {
        ...record.options,
        ...(system !== undefined && { system: rename(system) }),
        ...(history && { history: history.map((turn) => ({ ...turn, content: rename(turn.content) })) }),
      },
      // From the results, because ties go by the order.
      fastestModel: fastest(renamed),
      cheapestModel: cheapest(renamed),
    },
    results: renamed,
  };
}

/** Sorted in an order that is unpredictable without the seed. */
function shuffled(models: readonly string[], seed: string): string[] {
  const rank = (model: string) => createHash('sha256').update(`${seed}|${model}`).digest('hex');
  return models.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

/** The results with the models of each sample in the new order. */
function reordered(models: readonly string[], order: readonly string[], results: readonly Result[]): Result[] {
  return results
    .map((result, index) => {
      const slot = index % models.length;
      return results[index - slot + models.indexOf(order[slot] ?? '')] ?? result;
    })
    .map((result, position) => ({ ...result, position }));
}

/**
 * The names by which a text can give a model away, in lower case: its ids, and parts of them that can be no other word:
 * without the vendor, without the date.
 */
function namesIn(results: readonly Result[], nameOf: (model: string) => string): Map<string, string> {
  const ids = results.flatMap(({ model, details }) =>
    [model, baseModelId(model), details.vendorModel, details.answeredBy ?? ''].map(
      (id) => [id.toLowerCase(), nameOf(model)] as const,
    ),
  );
  const parts = ids.flatMap(([id, name]) =>
    [id, id.slice(id.lastIndexOf('/') + 1)]
      .flatMap((part) => [part, part.replace(DATE_AT_END, '')])
      .filter((part) => /[\d-]/.test(part))
      .map((part) => [part, name] as const),
  );
  // The ids last, because the last entry holds.
  return new Map([...parts, ...ids].filter(([name]) => name.length >= MIN_NAME_CHARACTERS));
}

/**
 * Replaces the names in one pass wherever they are, with a date behind them, the longest first, so that none is cut by
 * another that it contains.
 */
function renamer(names: ReadonlyMap<string, string>): (text: string) => string {
  if (names.size === 0) return (text) => text;
  const alternatives = [...names.keys()]
    .sort((left, right) => right.length - left.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`));
  const pattern = new RegExp(`(${alternatives.join('|')})(?:${DATE})?`, 'gi');
  return (text) => text.replace(pattern, (whole, name: string) => names.get(name.toLowerCase()) ?? whole);
}

function letter(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1);
}
