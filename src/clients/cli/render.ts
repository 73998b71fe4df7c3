import stringWidth from 'string-width';
import type { RunResult } from '../client/client';
import { shortAmount } from '../client/amount-text';
import { cheapestPassing, leadOf } from '../client/lead';
import { elapsedText, triesText } from '../client/figure-text';
import { timeText } from '../client/time-text';
import { conditionsOf } from './conditions';
import { fit, harmless, oneLine, truncate, wrap, type Paint, type Style } from './text';
import { verdictLines } from './verdicts';
import type { ModelState, WatchState } from './watch-state';

/** The target of the lines. */
export interface View {
  /** Columns of the terminal. */
  width: number;
  /** Lines that the whole may take while it is redrawn; undefined for all of every text. */
  height?: number | undefined;
  /** Milliseconds since the compare was sent. */
  elapsedMs: number;
  paint: Paint;
}

const MIN_COLUMN_WIDTH = 24;
const MIN_NAME_WIDTH = 8;
const SEPARATOR = ' │ ';
/** Narrower terminals show one model after the other. */
export const MIN_WIDTH_FOR_COLUMNS = 60;

/** The models side by side, as many as fit, the others below them; no line is wider than the terminal. */
export function columnLines(state: WatchState, view: View): string[] {
  const perBand = Math.max(
    1,
    Math.min(
      state.models.length,
      Math.floor((view.width - 1 + SEPARATOR.length) / (MIN_COLUMN_WIDTH + SEPARATOR.length)),
    ),
  );
  const width = Math.floor((view.width - 1 - SEPARATOR.length * (perBand - 1)) / perBand);
  const bands = Array.from({ length: Math.ceil(state.models.length / perBand) }, (_, i) =>
    state.models.slice(i * perBand, (i + 1) * perBand),
  );
  // Head, figures and an empty line of every band are always there.
  const rows = view.height === undefined ? undefined : Math.max(1, Math.floor(view.height / bands.length) - 4);
  return bands.flatMap((models, i) => [
    ...(i === 0 ? [] : ['']),
    ...bandLines(
      models.map((model) => cellOf(model, state, { ...view, width }, rows)),
      width,
      view.paint,
    ),
  ]);
}

/** One model after the other, over the whole width. */
export function blockLines(model: ModelState, state: WatchState, view: View): string[] {
  const { head, text, figures } = cellOf(model, state, { ...view, width: Math.max(1, view.width - 1) });
  return [head, ...text, ...figures, ''].map((line) => line.trimEnd());
}

/** Pieces of two texts beside each other, each pair from the same line on. */
export function pairLines(
  heads: [base: string, other: string],
  pairs: readonly [base: string, other: string][],
  view: View,
): string[] {
  const width = Math.floor((view.width - 1 - SEPARATOR.length) / 2);
  const rows = pairs.flatMap(([base, other]) => {
    const [left, right] = [wrap(base, width), wrap(other, width)];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => [left[i] ?? '', right[i] ?? '']);
  });
  return [heads.map((head) => view.paint('bold', truncate(head, width))), ...rows].map((cells) =>
    joined(cells, width, view.paint),
  );
}

/**
 * At the end: what was stored, what it cost, where it is; on one line where that fits. The address is never broken, so
 * that it can be copied.
 */
export function summaryLines(
  state: WatchState,
  { freeLeft, address, width }: { freeLeft?: number | undefined; address: string | undefined; width: number },
): string[] {
  const { stored } = state;
  if (stored === undefined) return state.evalId === undefined ? [] : [oneLine(state.evalId)];
  const good = stored.results.filter(({ error }) => error === undefined).length;
  const { details } = stored;
  const charge = details === undefined ? [] : [details.free ? 'free' : `charged ${shortAmount(details.charge_usd)}`];
  const left = freeLeft === undefined || details?.free !== true ? '' : `, ${freeLeft} left`;
  const [id, facts, url] = [
    stored.eval_id,
    `${[`${good} of ${stored.results.length}`, `$${stored.meta.total_cost_usd}`, ...charge].join(' · ')}${left}`,
    placeOf(stored.eval_id, address),
  ];
  if (stringWidth(`${id}  ${facts} · ${url}`) <= width) return [`${id}  ${facts} · ${url}`];
  return stringWidth(`${id}  ${facts}`) <= width ? [`${id}  ${facts}`, url] : [id, facts, url];
}

/** Without an address the eval is not stored. */
function placeOf(evalId: string, address: string | undefined): string {
  return address === undefined ? 'not stored' : `${address}/evals/${evalId}`;
}

interface Cell {
  head: string;
  text: string[];
  figures: string[];
}

function bandLines(cells: Cell[], width: number, paint: Paint): string[] {
  const height = Math.max(...cells.map(({ text }) => text.length));
  const figures = Math.max(...cells.map((cell) => cell.figures.length));
  const join = (parts: string[]) => joined(parts, width, paint);
  return [
    join(cells.map(({ head }) => head)),
    ...Array.from({ length: height }, (_, i) => join(cells.map(({ text }) => text[i] ?? ''))),
    ...Array.from({ length: figures }, (_, i) => join(cells.map((cell) => cell.figures[i] ?? ''))),
  ];
}

/** Cells beside each other, all but the last of that width. */
function joined(cells: readonly string[], width: number, paint: Paint): string {
  const padded = cells.map((cell, i) =>
    i === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, width - stringWidth(cell))),
  );
  return ` ${padded.join(paint('dim', SEPARATOR))}`;
}

function cellOf(model: ModelState, state: WatchState, view: View, rows?: number): Cell {
  const lines = textLines(model, view, rows);
  return {
    head: headOf(model, state, view),
    text: rows === undefined ? lines : lines.slice(-rows),
    figures: figureLines(model, view),
  };
}

function headOf(model: ModelState, state: WatchState, { width, elapsedMs, paint }: View): string {
  const { text, style } = statusOf(model, state, { width, elapsedMs });
  const status = truncate(text, width);
  const name = Math.max(0, width - stringWidth(status) - 1);
  return `${paint('bold', fit(oneLine(model.model), name))} ${paint(style, status)}`;
}

function statusOf(
  { model, text, result, sample }: ModelState,
  { stored }: WatchState,
  { width, elapsedMs }: Pick<View, 'width' | 'elapsedMs'>,
): { text: string; style: Style } {
  const time = `${sample === undefined ? '' : `#${sample} `}${result === undefined ? elapsedText(elapsedMs) : timeText(result.latency_ms)}`;
  if (result === undefined) return { text: text === '' ? `waiting ${time}` : time, style: 'dim' };
  if (result.error !== undefined) return { text: 'failed', style: 'red' };
  const badges = badgesThatFit(
    badgesOf(model, stored),
    width - time.length - Math.min(MIN_NAME_WIDTH, stringWidth(model)) - 1,
  );
  return { text: [time, ...badges].join(' '), style: badges.length > 0 ? 'green' : 'dim' };
}

/** Parts that do not fit beside the name of the model are left out: a column without its name is useless. */
function badgesThatFit(badges: string[], width: number): string[] {
  return badges.length === 0 || badges.join(' ').length < width ? badges : badgesThatFit(badges.slice(0, -1), width);
}

function badgesOf(model: string, stored: WatchState['stored']): string[] {
  const passing = cheapestPassing(stored);
  if (passing !== undefined)
    return passing === model && (stored?.models.length ?? 0) > 1 ? ['cheapest that passes'] : [];
  return (['fastest', 'cheapest'] as const).filter((kind) => leadOf(stored, kind, model) !== undefined);
}

function textLines({ text, result }: ModelState, { width, paint }: View, rows: number | undefined): string[] {
  if (result?.error !== undefined)
    return wrap(`${oneLine(result.error.message)} (${oneLine(result.error.code)})`, width);
  if (result !== undefined && !/\S/.test(text))
    return wrap(`Empty answer (${oneLine(result.details?.finish_reason ?? 'no reason known')}).`, width);
  // While it is redrawn, only its end is seen: the rest is not worth wrapping ten times a second.
  const lines = wrap(harmless(rows === undefined ? text : text.slice(-rows * width)), width);
  return result === undefined && text !== '' ? withCaret(lines, width, paint) : lines;
}

function withCaret(lines: string[], width: number, paint: Paint): string[] {
  const [last, caret] = [lines.at(-1) ?? '', paint('dim', '▍')];
  return stringWidth(last) + 1 > width ? [...lines, caret] : [...lines.slice(0, -1), `${last}${caret}`];
}

function figureLines({ result }: ModelState, { width, paint }: View): string[] {
  if (result === undefined) return [];
  const { details, warnings = [], checks = [] } = result;
  const figures = [
    ...(result.error === undefined ? [...speedOf(result), ...tokensOf(result), shortAmount(result.cost_usd)] : []),
    ...conditionWords(result),
    ...[triesText(details?.attempts) ?? []].flat(),
  ];
  return [
    ...figureRows(figures, width).map((row) => paint('dim', row)),
    ...warnings.map(({ code }) => paint('yellow', truncate(`! ${oneLine(code)}`, width))),
    ...verdictLines(checks, width, paint),
  ];
}

/** Figures are never cut: what does not fit goes to the next row. */
function figureRows(figures: string[], width: number): string[] {
  return figures.reduce<string[]>((rows, figure) => {
    const longer = `${rows.at(-1) ?? ''}  ${figure}`;
    return rows.length > 0 && longer.length <= width ? [...rows.slice(0, -1), longer] : [...rows, figure];
  }, []);
}

/** Tokens of text, and apart from them those of thought. */
function tokensOf(result: RunResult): string[] {
  const { thought } = conditionsOf(result);
  return [
    `${result.input_tokens}+${Math.max(0, result.output_tokens - thought)}`,
    ...(thought > 0 ? [`${thought} thought`] : []),
  ];
}

function conditionWords(result: RunResult): string[] {
  const { effort, substitute } = conditionsOf(result);
  return [
    ...(effort === undefined ? [] : [`effort ${oneLine(effort)}`]),
    ...(substitute === undefined ? [] : [`answered by ${oneLine(substitute)}`]),
  ];
}

function speedOf({ details }: RunResult): string[] {
  const speed = details?.tokens_per_second ?? undefined;
  return speed === undefined ? [] : [`${Math.round(speed)} tok/s`];
}
