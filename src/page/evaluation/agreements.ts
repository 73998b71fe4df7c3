import { factsOf } from '../compare/evaluated';
import { numberIn } from './numbers';

/** How two models agree: which share of their answers says the same, and how alike the texts are, each from 0 to 1. */
export interface Pair {
  agree: number | undefined;
  similarity: number | undefined;
}

/** Which models of an eval say the same. */
export interface AgreementView {
  models: readonly string[];
  /** One row a model, in the order of `models`. */
  matrix: readonly (readonly Pair[])[];
  groups: readonly (readonly string[])[];
  /** The largest group, and which share of the models it is. */
  consensus: { share: number; models: readonly string[] } | undefined;
}

/** Reads what the service says about agreement; undefined where there is nothing to compare. */
export function agreementOf(answer: unknown): AgreementView | undefined {
  const { models, matrix, groups, consensus } = factsOf(answer);
  const names = namesOf(models);
  if (names.length < 2 || !Array.isArray(matrix)) return undefined;
  const share = numberIn(consensus, 'share');
  return {
    models: names,
    matrix: names.map((_, row) => names.map((_name, column) => pairOf((matrix as unknown[][])[row]?.[column]))),
    groups: Array.isArray(groups) ? groups.map(namesOf).filter((group) => group.length > 0) : [],
    consensus: share === undefined ? undefined : { share, models: namesOf(factsOf(consensus)['models']) },
  };
}

/** Who agrees with whom, in a sentence. */
export function groupSentence({ models, groups }: Pick<AgreementView, 'models' | 'groups'>): string {
  const [largest] = [...groups].sort((a, b) => b.length - a.length);
  if (largest === undefined || largest.length < 2) return 'No two models agree.';
  if (largest.length === models.length) return 'All models agree.';
  const others = groups.filter((group) => group !== largest && group.length > 1);
  return `${[largest, ...others].map((group) => `${listOf(group)} agree`).join('; ')}.`;
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function pairOf(value: unknown): Pair {
  const { agree } = factsOf(value);
  return { agree: typeof agree === 'boolean' ? Number(agree) : numberIn(value, 'agree'), similarity: numberIn(value, 'similarity') };
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
