import type { Drift } from '../../client/client';
import { shortAmount } from '../../client/amount-text';
import { answeredByText } from '../../client/drift-text';
import type { CommonOptions, Context } from '../context';
import { EXIT } from '../exit-codes';
import { cellText, type Table } from '../table';

type ModelDrift = Drift['models'][number];

/** mcs drift: what changed between an eval and an earlier one; nothing is called and nothing charged. */
export async function driftCommand(
  { mcs, terminal }: Context,
  id: string,
  { against, json }: CommonOptions & { against?: string },
): Promise<number> {
  const drift = await mcs.evals.drift(id, against === undefined ? {} : { against });
  if (json === true) terminal.printJson(drift);
  else {
    terminal.printTable(terminal.isWatched ? changes(drift) : columns(drift));
    if (terminal.isWatched) {
      terminal.print('');
      terminal.printSentences(...requestWords(drift), ...drift.models.flatMap(words), ...reasons(drift.models));
    }
  }
  return EXIT.done;
}

/** For people: from what to what. */
function changes({ models }: Drift): Table {
  return {
    head: ['model', 'answers', 'ms', 'a call costs', 'output tokens'],
    lines: models.map((one) => [
      one.model,
      answersOf(one),
      fromTo(one.latency_ms, whole),
      fromTo(one.cost_usd, shortAmount),
      fromTo(one.output_tokens, whole),
    ]),
    flexible: 0,
    optional: [4],
  };
}

/** For programs: every figure in a separate column. */
function columns({ models }: Drift): Table {
  const both = ({ before, after }: { before: string | number | null; after: string | number | null }) => [
    before,
    after,
  ];
  return {
    head: [
      'model',
      'output',
      'similarity',
      'latency_ms_before',
      'latency_ms_after',
      'cost_usd_before',
      'cost_usd_after',
      'input_tokens_before',
      'input_tokens_after',
      'output_tokens_before',
      'output_tokens_after',
      'improved',
      'regressed',
    ],
    lines: models.map((one) =>
      [
        one.model,
        one.output,
        one.similarity,
        ...both(one.latency_ms),
        ...both(one.cost_usd),
        ...both(one.input_tokens),
        ...both(one.output_tokens),
        one.checks?.improved.join(','),
        one.checks?.regressed.join(','),
      ].map(cellText),
    ),
    flexible: 0,
  };
}

/** The parts of the request that changed, which explain other answers. */
function requestWords({ request_changed: changed, only_before: gone, only_after: added }: Drift): string[] {
  return [
    ...(changed.length === 0 ? [] : [`The requests of the two evals differ in: ${changed.join(', ')}.`]),
    ...(gone.length === 0 ? [] : [`Only in the earlier eval: ${gone.join(', ')}.`]),
    ...(added.length === 0 ? [] : [`Only in the later eval: ${added.join(', ')}.`]),
  ];
}

/** Why the figures mean something or nothing; said once where it is the same for all. */
function reasons(models: readonly ModelDrift[]): string[] {
  const [first] = models;
  if (first !== undefined && models.length > 1 && models.every(({ because }) => because === first.because))
    return [`All models: ${first.because}`];
  return models.map(({ model, because }) => `${model}: ${because}`);
}

function words({
  model,
  checks,
  vendor_model: vendorModel,
  answered_by: answeredBy,
  prices,
  applied,
}: ModelDrift): string[] {
  const facts = [
    ...(checks?.regressed.length ? [`passes less often: ${checks.regressed.join(', ')}`] : []),
    ...(checks?.improved.length ? [`passes more often: ${checks.improved.join(', ')}`] : []),
    ...(vendorModel.changed ? [`the vendor's model was ${vendorModel.before} and is ${vendorModel.after}`] : []),
    ...(answeredBy.changed ? [answeredByText(answeredBy)] : []),
    ...(applied.changed ? ['other parameters were sent to the vendor'] : []),
    ...(prices.changed ? ['the price changed'] : []),
  ];
  return facts.map((fact) => `${model}: ${fact}.`);
}

function answersOf({ output, similarity }: ModelDrift): string {
  return output === 'changed' && similarity !== null ? `changed, similarity ${similarity.toFixed(2)}` : (output ?? '-');
}

function fromTo<T>({ before, after }: { before: T | null; after: T | null }, show: (value: T) => string): string {
  const [from, to] = [before, after].map((value) => (value === null ? '-' : show(value)));
  return from === to ? (from ?? '') : `${from} → ${to}`;
}

function whole(value: number): string {
  return String(Math.round(value));
}
