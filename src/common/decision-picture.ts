import { DOLLARS } from './dollars';

/** A model in the picture of a decision. */
export interface PicturedModel {
  /** One or two letters. */
  mark: string;
  /** In USD. */
  cost: number;
  /** Share of rows that passed, and its interval. */
  rate: number;
  ends: readonly number[] | null;
  isTaken: boolean;
}

/** An element of SVG. All of it is in attributes, because style sheets may be forbidden. */
export interface Shape {
  tag: 'circle' | 'line' | 'text';
  attributes: Readonly<Record<string, string | number>>;
  text?: string;
}

export const PICTURE_HEIGHT = 290;
const [LEFT, TOP, BOTTOM, END] = [52, 14, 240, 20];
/** Free models have no place on a logarithmic scale: they are drawn below the lowest cost by this factor. */
const FREE = 0.2;

/** Cost (logarithmic) against the share that passed, with the frontier: the models that no other beats in both. */
export function drawDecision(models: readonly PicturedModel[], width: number): Shape[] {
  const right = width - END;
  const least = Math.min(...models.flatMap(({ cost }) => (cost > 0 ? cost : [])));
  const place = (cost: number) => Math.log(cost > 0 ? cost : Number.isFinite(least) ? least * FREE : 1);
  const costs = models.map(({ cost }) => cost).sort((left, right) => left - right);
  const [first = 0, last = 0] = [costs[0], costs.at(-1)];
  const span = place(last) - place(first);
  const x = (cost: number) =>
    span === 0 ? (LEFT + right) / 2 : LEFT + 30 + ((place(cost) - place(first)) / span) * (right - LEFT - 60);
  const shares = models.flatMap(({ rate, ends }) => [rate, ...(ends ?? [])]);
  const low = Math.floor(10 * Math.min(...shares)) / 10;
  const steps = Math.max(1, Math.ceil(10 * Math.max(...shares) - 10 * low - 1e-9));
  const y = (share: number) => BOTTOM - ((share - low) / (steps / 10)) * (BOTTOM - TOP);
  const ticks = span === 0 ? [first] : [first, ...(first > 0 ? [Math.sqrt(first * last)] : []), last];
  return [
    ...Array.from({ length: steps + 1 }, (_, step) => low + step / 10).flatMap((share) => [
      line([LEFT, y(share)], [right, y(share)], { 'stroke-opacity': 0.15 }),
      letters(`${Math.round(100 * share)} %`, [LEFT - 8, y(share) + 4], { 'text-anchor': 'end' }),
    ]),
    ...ticks.map((cost) => letters(cost === 0 ? 'free' : DOLLARS.format(cost), [x(cost), BOTTOM + 20])),
    letters('per 1,000 passed answers', [(LEFT + right) / 2, BOTTOM + 42]),
    ...frontierOf(models).flatMap((model, index, all) => {
      const next = all[index + 1];
      return next === undefined
        ? []
        : [line([x(model.cost), y(model.rate)], [x(next.cost), y(next.rate)], { 'stroke-opacity': 0.4 })];
    }),
    ...models.flatMap(({ mark, cost, rate, ends, isTaken }): Shape[] => [
      line([x(cost), y(ends?.[0] ?? rate)], [x(cost), y(ends?.[1] ?? rate)], { 'stroke-width': 2 }),
      {
        tag: 'circle',
        attributes: {
          ...{ cx: round(x(cost)), cy: round(y(rate)), r: 11, stroke: 'currentColor', 'stroke-width': 2 },
          fill: isTaken ? 'currentColor' : 'Canvas',
        },
      },
      letters(mark, [x(cost), y(rate) + 4], { 'font-size': 11, fill: isTaken ? 'Canvas' : 'currentColor' }),
    ]),
  ];
}

type Point = readonly [x: number, y: number];

function line([x1, y1]: Point, [x2, y2]: Point, attributes: Shape['attributes']): Shape {
  const ends = { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) };
  return { tag: 'line', attributes: { ...ends, stroke: 'currentColor', ...attributes } };
}

function letters(text: string, [x, y]: Point, attributes: Shape['attributes'] = {}): Shape {
  const usual = { 'text-anchor': 'middle', 'font-size': 12, fill: 'currentColor' };
  return { tag: 'text', attributes: { x: round(x), y: round(y), ...usual, ...attributes }, text };
}

function frontierOf(models: readonly PicturedModel[]): PicturedModel[] {
  let best = -1;
  return models
    .toSorted((left, right) => left.cost - right.cost || right.rate - left.rate)
    .filter(({ rate }) => {
      const isAbove = rate > best;
      best = Math.max(best, rate);
      return isAbove;
    });
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
