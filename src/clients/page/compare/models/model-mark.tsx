import { Fragment } from 'preact';

/** The color, from 1 to 8, and the initial by which a model is known beside others. */
interface Mark {
  color: number;
  initial: string;
}

const COLORS = 8;
/** A mark is made of the beginning of a longer name. */
const MAX_CHARACTERS = 200;
/** A letter with more marks than this would not fit. */
const MAX_UNITS = 12;
const GRAPHEMES = new Intl.Segmenter();
const SHOWN = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
const known = new WeakMap<readonly string[], ReadonlyMap<string, Mark>>();

/**
 * The mark of a model among the models that are shown. Its color is a hash of its name, so that it is the same on every
 * screen;
 * where two models have the same color, the later one takes the next free color.
 */
export function markOf(model: string, models: readonly string[]): Mark {
  const marks = known.get(models) ?? marksOf(models);
  known.set(models, marks);
  return marks.get(model) ?? { color: hashOf(model) + 1, initial: markOf(model, [...models, model]).initial };
}

function marksOf(models: readonly string[]): Map<string, Mark> {
  const each = [...new Set(models)];
  const words = each.map(wordsOf);
  const shared = words.length > 1 ? sharedStart(words) : 0;
  const choices = words.map((own) => initialsOf(own.slice(shared).length > 0 ? own.slice(shared) : own));
  const counts = new Map<string, number>();
  for (const initial of choices.flat()) counts.set(initial, (counts.get(initial) ?? 0) + 1);
  const firsts = choices.flatMap((own) => own.slice(0, 1));
  // A model whose best initial no other one wants most keeps it, with whatever models it is shown.
  const settled = new Set(firsts.filter((first) => firsts.indexOf(first) === firsts.lastIndexOf(first)));
  const [initials, colors] = [new Set(settled), new Set<number>()];
  return new Map(
    each.map((model, index) => {
      const own = choices[index] ?? [];
      const initial =
        own.slice(0, 1).find((choice) => settled.has(choice)) ??
        own.find((choice) => counts.get(choice) === 1) ??
        own.find((choice) => !initials.has(choice)) ??
        String(index + 1);
      initials.add(initial);
      const color = freeColor(hashOf(model), colors);
      colors.add(color);
      return [model, { color: color + 1, initial }];
    }),
  );
}

/** The words of a name, each as its letters, digits and pictures. */
function wordsOf(model: string): string[][] {
  const words: string[][] = [[]];
  for (const { segment } of GRAPHEMES.segment(model.slice(0, MAX_CHARACTERS).toWellFormed())) {
    if (SHOWN.test(segment)) {
      if (segment.length <= MAX_UNITS) words.at(-1)?.push(segment);
    } else words.push([]);
  }
  return words.filter(({ length }) => length > 0);
}

/** How many first words all names have in common. */
function sharedStart(names: readonly string[][][]): number {
  const [first = []] = names;
  const differs = first.findIndex((word, at) => names.some((name) => name[at]?.join('') !== word.join('')));
  return differs < 0 ? first.length : differs;
}

/**
 * Possible initials of a name, the best first: its first two letters, then its first letter with that of another word,
 * then with any other.
 */
function initialsOf(words: readonly string[][]): string[] {
  const [first = [], ...others] = words;
  const [start, ...rest] = first;
  if (start === undefined) return [];
  const capital = start.toUpperCase().length === start.length ? start.toUpperCase() : start;
  return [
    ...new Set(
      [...rest.slice(0, 1), ...others.flatMap((word) => word.slice(0, 1)), ...rest, ...others.flat()]
        .map((next) => capital + next)
        .concat(capital),
    ),
  ];
}

function freeColor(wanted: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < COLORS; step += 1)
    if (!taken.has((wanted + step) % COLORS)) return (wanted + step) % COLORS;
  return wanted;
}

function hashOf(model: string): number {
  let hash = 3;
  for (let at = 0; at < model.length; at += 1) hash = (hash * 37 + model.charCodeAt(at)) % 4_294_967_291;
  return hash % COLORS;
}

/**
 * The colored square with the initial of a model, by which it is known among the shown models. Its name is beside it.
 */
export function ModelMark({ model, models }: { model: string; models: readonly string[] }) {
  const { color, initial } = markOf(model, models);
  return (
    <span class="model-mark" data-color={color} aria-hidden="true">
      {initial}
    </span>
  );
}

/** A name that breaks after its parts, such as the vendor's, before it breaks within a word. */
export function BreakableName({ model }: { model: string }) {
  return (
    <>
      {model.split(/(?<=[/:])|(?=@)/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** The mark of a model and its name. */
export function ModelName({ model, models }: { model: string; models: readonly string[] }) {
  return (
    <>
      <ModelMark model={model} models={models} />{' '}
      <bdi>
        <BreakableName model={model} />
      </bdi>
    </>
  );
}
