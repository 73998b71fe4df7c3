import type { CompareEvent, CompareRun, Eval } from '../../client/client';
import { ConnectionError } from '../../client/client';
import { isMore, toApiJson } from '../../client/amount-text';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { blockLines, columnLines, MIN_WIDTH_FOR_COLUMNS, summaryLines, type View } from '../render';
import { numberOf, requestOf, type RequestOptions } from '../request';
import { oneLine } from '../text';
import { after, initialState, stateOf, type WatchState } from '../watch-state';

/** Options of `mcs compare`. */
export interface CompareCommandOptions extends CommonOptions, RequestOptions {
  plain?: boolean;
  details?: boolean;
  idempotencyKey?: string;
  failOn: string;
  maxLatency?: string;
}

const REDRAW_MS = 100;

/** mcs compare: runs it, shows it as it comes, and judges it. Gives the exit code. */
export async function compareCommand(context: Context, prompt: string | undefined, options: CompareCommandOptions): Promise<number> {
  if (!['any', 'all'].includes(options.failOn)) throw new UsageError('--fail-on is any or all.');
  if (options.json === true && options.jsonl === true) throw new UsageError('Choose --json or --jsonl.');
  const maxLatency = options.maxLatency === undefined ? Infinity : numberOf('--max-latency', options.maxLatency);
  const body = await requestOf(context.system, prompt, options);
  const isForPeople = options.json !== true && options.jsonl !== true;
  const stop = new AbortController();
  const run = context.mcs.stream(body, {
    details: isForPeople || options.details === true, signal: stop.signal,
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  });
  const stopListening = listenForInterrupt(context, run, stop);
  try {
    const stored = await show(context, run, body.models, options);
    return verdict(stored, options, maxLatency);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    sayWhatGoesOn(context, run);
    return EXIT.interrupted;
  } finally {
    stopListening();
  }
}

/** The exit code of a stored eval. */
export function verdict(stored: Eval, { failOn, maxCost }: Pick<CompareCommandOptions, 'failOn' | 'maxCost'>, maxLatency: number): number {
  const failed = stored.results.filter(({ error }) => error !== undefined);
  if (failed.length > 0 && (failOn === 'any' || failed.length === stored.results.length)) return EXIT.modelsFailed;
  if (maxCost !== undefined && isMore(stored.meta.total_cost_usd, maxCost)) return EXIT.money;
  return stored.results.some(({ error, latency_ms: latency }) => error === undefined && latency > maxLatency) ? EXIT.tooSlow : EXIT.done;
}

async function show(context: Context, run: Run, models: readonly string[], options: CompareCommandOptions): Promise<Eval> {
  const { terminal } = context;
  if (options.json === true) {
    const stored = await wholeRun(context, run, () => undefined);
    terminal.printJson(toApiJson(stored, terminal.isWatched ? 2 : undefined));
    return stored;
  }
  if (options.jsonl === true) return await wholeRun(context, run, ({ event, data }) => terminal.printJson(toApiJson({ event, data })));
  const stored = terminal.isWatched ? await watch(context, run, models, options) : await report(context, run, models);
  return stored;
}

type Run = CompareRun<CompareEvent, Eval>;

/** Reads the run to its end; a broken connection is said, and the stored eval waited for. */
async function wholeRun({ terminal }: Context, run: Run, onEvent: (event: CompareEvent) => void): Promise<Eval> {
  try {
    for await (const event of run) onEvent(event);
  } catch (error) {
    if (!(error instanceof ConnectionError) || run.evalId === undefined) throw error;
    terminal.note(`Connection lost. The run goes on; waiting for ${run.evalId} …`);
  }
  return await run.eval();
}

/** On a terminal: columns that grow, or one model after the other. */
async function watch(context: Context, run: Run, models: readonly string[], { plain }: CompareCommandOptions): Promise<Eval> {
  const { terminal, system } = context;
  const startedAt = system.now();
  const view = (): View => ({ width: terminal.width, elapsedMs: system.now() - startedAt, paint: terminal.paint });
  const isLive = plain !== true && terminal.canRedraw && terminal.width >= MIN_WIDTH_FOR_COLUMNS;
  let state = initialState(models);
  let shown = 0;
  const showEnded = () => {
    for (; state.models[shown]?.result !== undefined; shown += 1) terminal.print(...blockLines(state.models[shown] as WatchState['models'][number], state, view()));
  };
  const redraw = () => terminal.draw(columnLines(state, { ...view(), height: terminal.height - 1 }));
  const timer = isLive ? setInterval(redraw, REDRAW_MS) : undefined;
  try {
    const stored = await wholeRun(context, run, (event) => {
      state = after(state, event);
      // The badges of a block are known only at the end, so its last models wait for it.
      if (!isLive && event.event !== 'eval') showEnded();
    });
    state = stateOf(stored);
    return stored;
  } finally {
    clearInterval(timer);
    if (isLive) {
      terminal.erase();
      if (state.models.some(({ text, result }) => text !== '' || result !== undefined)) terminal.print(...columnLines(state, view()));
    } else showEnded();
    if (state.stored !== undefined) terminal.print(...summaryLines(state, { freeLeft: await freeEvalsLeft(context), address: context.settings.url, width: terminal.width }));
  }
}

/** Into a pipe or a file: a table at the end; progress on standard error where that is a terminal. */
async function report(context: Context, run: Run, models: readonly string[]): Promise<Eval> {
  const { terminal, system } = context;
  let ended = 0;
  const stored = await wholeRun(context, run, (event) => {
    if (event.event !== 'result') return;
    ended += 1;
    if (system.errors.isTerminal) terminal.note(`${ended} of ${models.length}: ${oneLine(event.data.model)} ${event.data.error === undefined ? 'finished' : 'failed'}`);
  });
  terminal.printTable({
    head: ['model', 'status', 'latency_ms', 'ttft_ms', 'tokens_per_second', 'input_tokens', 'output_tokens', 'cost_usd', 'output'],
    lines: stored.results.map(({ model, error, latency_ms: latency, details, input_tokens: input, output_tokens: output, cost_usd: cost, output: text }) => [
      model, error?.code ?? 'ok', latency, details?.ttft_ms ?? '', details?.tokens_per_second ?? '', input, output, cost, text,
    ].map(String)),
    flexible: 8,
  });
  return stored;
}

/** Only a nicety of the last line. */
async function freeEvalsLeft({ mcs }: Context): Promise<number | undefined> {
  return await mcs.key({ maxRetries: 0 }).then(({ limits }) => limits.free_evals.remaining, () => undefined);
}

/** Ctrl C once stops watching, as soon as the eval has an id; twice ends at once. */
function listenForInterrupt({ system, terminal }: Context, run: Run, stop: AbortController): () => void {
  let count = 0;
  const leave = () => stop.abort(new Error('Interrupted.'));
  let timer: ReturnType<typeof setInterval> | undefined;
  const stopListening = system.onInterrupt(() => {
    count += 1;
    if (count > 1) system.exit(EXIT.interrupted);
    if (run.evalId !== undefined) return leave();
    terminal.note('Waiting for the id of the eval; Ctrl C again exits at once.');
    timer = setInterval(() => { if (run.evalId !== undefined) leave(); }, REDRAW_MS);
  });
  return () => {
    clearInterval(timer);
    stopListening();
  };
}

function sayWhatGoesOn({ terminal }: Context, { evalId }: Run): void {
  terminal.note(evalId === undefined ? 'Interrupted.' : `Stopped watching. The run goes on, is stored and charged: mcs eval ${evalId}`);
}
