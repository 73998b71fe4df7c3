import { distance } from 'fastest-levenshtein';
import { baseModelId } from '../../common/model-arm';

/** The comparison takes time that grows with the square of the length. */
const MAX_CHARACTERS = 100;
const MAX_SUGGESTED = 3;

/** Says behind an unknown id which known ids were perhaps meant, the nearest first; empty where none is near. */
export function suggestion(unknown: string, known: readonly string[]): string {
  const names = unknown
    .slice(0, 2 * MAX_CHARACTERS)
    .split(/[,;\s]+/)
    .filter((name) => name !== '');
  if (names.length > 1 && names.some((name) => known.includes(baseModelId(name))))
    return ' (each id is an element of models by itself)';
  const near = nearestIds(unknown, known);
  return near.length === 0 ? '' : ` (perhaps ${near.join(' or ')} was meant)`;
}

function nearestIds(unknown: string, known: readonly string[]): string[] {
  if (unknown.length > MAX_CHARACTERS) return [];
  // Other services put the vendor before the id.
  const wanted = (baseModelId(unknown).split('/').at(-1) ?? '').trim().toLowerCase();
  const most = Math.min(3, Math.floor(wanted.length / 3));
  const near = known
    .map((id) => ({ id, slips: distance(wanted, id.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .sort((left, right) => left.slips - right.slips);
  // A family without its version.
  const family = near.length > 0 || wanted.length < 4 ? [] : known.filter((id) => id.toLowerCase().startsWith(wanted));
  const least = near[0]?.slips ?? 0;
  // An id that differs in case only leaves no doubt.
  return [...near.filter(({ slips }) => slips <= (least === 0 ? 0 : least + 1)).map(({ id }) => id), ...family].slice(
    0,
    MAX_SUGGESTED,
  );
}
