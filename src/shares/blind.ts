import { createHash } from 'node:crypto';
import type { StoredEval } from '../evals/evals.service';
import { cheapest, fastest } from '../evals/ranking';
import type { Result } from '../evals/result.entity';

/** Names that are shorter may be words of any text. */
const MIN_NAME_CHARACTERS = 4;

/** The eval with its models under the names Model A, Model B …, in an order that only the seed decides; where a text says the id of a model, it says that name. */
export function blind({ record, results }: StoredEval, seed: string): StoredEval {
  const order = shuffled(record.models, seed);
  const nameOf = (model: string) => `Model ${letter(order.indexOf(model))}`;
  const rename = renamer(namesIn(results, nameOf));
  const renamed = reordered(record.models, order, results).map((result) => ({ ...result, model: nameOf(result.model), output: rename(result.output) }));
  return {
    record: {
      ...record,
      models: order.map(nameOf),
      prompt: rename(record.prompt),
      input: record.input === null ? null : rename(record.input),
      // From the results, because ties go by the order.
      fastestModel: fastest(renamed),
      cheapestModel: cheapest(renamed),
    },
    results: renamed,
  };
}

/** Sorted by what nobody can foresee without the seed. */
function shuffled(models: readonly string[], seed: string): string[] {
  const rank = (model: string) => createHash('sha256').update(`${seed}|${model}`).digest('hex');
  return models.toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1));
}

/** The results with the models of each sample in the new order. */
function reordered(models: readonly string[], order: readonly string[], results: readonly Result[]): Result[] {
  return results.map((result, index) => {
    const slot = index % models.length;
    return results[index - slot + models.indexOf(order[slot] ?? '')] ?? result;
  }).map((result, position) => ({ ...result, position }));
}

/** The names by which a text can give a model away, in lower case. */
function namesIn(results: readonly Result[], nameOf: (model: string) => string): Map<string, string> {
  const names = results.flatMap(({ model, details }) => [model, details.vendorModel].map((name) => [name.toLowerCase(), nameOf(model)] as const));
  return new Map(names.filter(([name]) => name.length >= MIN_NAME_CHARACTERS));
}

/** Replaces the names in one pass, the longest first, so that none is cut by another that it contains. */
function renamer(names: ReadonlyMap<string, string>): (text: string) => string {
  if (names.size === 0) return (text) => text;
  const alternatives = [...names.keys()].sort((left, right) => right.length - left.length).map((name) => name.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`));
  const pattern = new RegExp(`(?<![\\w-])(?:${alternatives.join('|')})(?![\\w-])`, 'gi');
  return (text) => text.replace(pattern, (name) => names.get(name.toLowerCase()) ?? name);
}

function letter(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1);
}
