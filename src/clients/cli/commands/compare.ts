import type { CompareEvent, CompareOptions, CompareRequest, CompareRun, Eval } from '../../client/client';
import { ConnectionError } from '../../client/client';
import { answersTable } from '../answers-table';
import type { CommonOptions, Context } from '../context';
import { EXIT, UsageError } from '../exit-codes';
import { priceOf } from './estimate';
import { blockLines, columnLines, MIN_WIDTH_FOR_COLUMNS, summaryLines, type View } from '../render';
import { isJudged, judgeOf, type JudgmentOptions } from '../judgment';
import { requestOf, type RequestOptions } from '../request';
import { printStatistics, sampleWords } from '../statistics';
import { oneLine } from '../text';
import { applyEvent, initialState, samplesOf, stateOf, type WatchState } from '../watch-state';

/** Options of `mcs compare`. */
export interface CompareCommandOptions extends CommonOptions, RequestOptions, Omit<JudgmentOptions, 'maxCost'> {
  plain?: boolean;
  details?: boolean;
  idempotencyKey?: string;
  background?: boolean;
}

const REDRAW_MS = 100;
const MAX_ESTIMATE_MS = 5000;

/** mcs compare: runs it, shows it as it comes, and judges it. Gives the exit code. */
export async function compareCommand(
  context: Context,
  prompt: string | undefined,
  options: CompareCommandOptions,
): Promise<number> {
  const judge = judgeOf(options);
  if (options.json === true && options.jsonl === true) throw new UsageError('Choose --json or --jsonl.');
  if (options.background === true && isJudged(options))
    throw new UsageError(
      '--background has no result to judge yet: use --fail-on, --fail-on-check and --max-latency with mcs run ID --wait.',
    );
  const body = await requestOf(context.system, prompt, options);
  if (options.failOnCheck === true && body.checks === undefined)
    throw new UsageError('--fail-on-check needs a --check.');
  await sayPrice(context, body, options.background);
  if (options.background === true) return await startInBackground(context, body, options);
  const stop = new AbortController();
  const run = context.mcs.stream(body, { ...streamOptions(body, options), signal: stop.signal });
  const stopListening = listenForInterrupt(context, run, stop);
  try {
    return judge(await show(context, run, body, options));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    sayWhatGoesOn(context, run, options);
    return EXIT.interrupted;
  } finally {
    stopListening();
  }
}

/** A caller who asks for checks or samples wants to see their results. */
function streamOptions(body: CompareRequest, options: CompareCommandOptions): CompareOptions {
  const isForPeople = options.json !== true && options.jsonl !== true;
  return {
    details: isForPeople || options.details === true,
    checks: body.checks !== undefined,
    statistics: (body.options?.samples ?? 1) > 1,
    ...keyOf(options),
  };
}

function keyOf({ idempotencyKey }: CompareCommandOptions): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}

/**
 * Samples multiply the price, so it is shown before they run. A compare runs without that line where the estimate
 * fails.
 */
async function sayPrice(
  { mcs, terminal }: Context,
  body: CompareRequest,
  background: boolean | undefined,
): Promise<void> {
  const samples = body.options?.samples ?? 1;
  if (samples < 2) return;
  const estimate = await mcs
    .estimate(body, { background, maxRetries: 0, timeoutMs: MAX_ESTIMATE_MS })
    .catch(() => undefined);
  if (estimate !== undefined) terminal.note(`${body.models.length * samples} calls: ${priceOf(estimate)}.`);
}

async function startInBackground(
  { mcs, terminal }: Context,
  body: CompareRequest,
  options: CompareCommandOptions,
): Promise<number> {
  const run = await mcs.runs.start(body, keyOf(options));
  if (options.json === true || options.jsonl === true) terminal.printJson(run);
  else {
    terminal.print(oneLine(run.run_id));
    terminal.note(
      `The service runs it in the background as ${oneLine(run.eval_id)}. To wait for it: mcs run ${oneLine(run.run_id)} --wait`,
    );
  }
  return EXIT.done;
}

async function show(context: Context, run: Run, body: CompareRequest, options: CompareCommandOptions): Promise<Eval> {
  const { terminal } = context;
  if (options.json === true) {
    const stored = await wholeRun(context, run, () => undefined);
    terminal.printJson(stored, terminal.isWatched ? 2 : undefined);
    return stored;
  }
  if (options.jsonl === true)
    return await wholeRun(context, run, ({ event, data }) => terminal.printJson({ event, data }));
  return terminal.isWatched
    ? await watch(context, run, body.models, options)
    : await report(context, run, body.models.length * (body.options?.samples ?? 1));
}

type Run = CompareRun<CompareEvent, Eval>;

/** Reads the run to its end; a broken connection is said, and the stored eval waited for. */
async function wholeRun({ terminal }: Context, run: Run, onEvent: (event: CompareEvent) => void): Promise<Eval> {
  try {
    for await (const event of run) onEvent(event);
  } catch (error) {
    if (!(error instanceof ConnectionError) || run.evalId === undefined) throw error;
    terminal.note(`Connection lost. Waiting for the stored eval ${run.evalId} …`);
  }
  return await run.eval();
}

/** On a terminal: columns that grow, or one model after the other. */
async function watch(
  context: Context,
  run: Run,
  models: readonly string[],
  { plain, samples, store }: CompareCommandOptions,
): Promise<Eval> {
  const { terminal, system } = context;
  const startedAt = system.now();
  const view = (): View => ({ width: terminal.width, elapsedMs: system.now() - startedAt, paint: terminal.paint });
  const isLive = plain !== true && terminal.canRedraw && terminal.width >= MIN_WIDTH_FOR_COLUMNS;
  let state = initialState(models);
  let shown = 0;
  const isOnce = samples === undefined;
  const showEnded = () => {
    for (; state.models[shown]?.result !== undefined; shown += 1)
      terminal.print(...blockLines(state.models[shown] as WatchState['models'][number], state, view()));
  };
  const redraw = () => terminal.draw(columnLines(state, { ...view(), height: terminal.height - 1 }));
  const timer = isLive ? setInterval(redraw, REDRAW_MS) : undefined;
  try {
    const stored = await wholeRun(context, run, (event) => {
      state = applyEvent(state, event);
      // The badges of a block are known only at the end, so its last models wait for it; and of several samples only
      // the first is shown.
      if (!isLive && event.event !== 'eval' && isOnce) showEnded();
    });
    state = stateOf(stored);
    return stored;
  } finally {
    clearInterval(timer);
    if (isLive) {
      terminal.erase();
      if (state.models.some(({ text, result }) => text !== '' || result !== undefined))
        terminal.print(...columnLines(state, view()));
    } else showEnded();
    if (state.stored !== undefined) {
      if (samplesOf(state.stored) > 1 && store !== false) terminal.printSentences(sampleWords(state.stored, 1));
      printStatistics(terminal, state.stored);
      terminal.print(
        ...summaryLines(state, {
          freeLeft: await freeEvalsLeft(context),
          address: store === false ? undefined : context.settings.url,
          width: terminal.width,
        }),
      );
    }
  }
}

/** Into a pipe or a file: a table at the end; progress on standard error where that is a terminal. */
async function report(context: Context, run: Run, calls: number): Promise<Eval> {
  const { terminal, system } = context;
  let ended = 0;
  const stored = await wholeRun(context, run, (event) => {
    if (event.event !== 'result') return;
    ended += 1;
    if (system.errors.isTerminal)
      terminal.note(
        `${ended} of ${calls}: ${oneLine(event.data.model)} ${event.data.error === undefined ? 'finished' : 'failed'}`,
      );
  });
  terminal.printTable(answersTable(stored));
  return stored;
}

/** Only a nicety of the last line. */
async function freeEvalsLeft({ mcs }: Context): Promise<number | undefined> {
  return await mcs.key({ maxRetries: 0 }).then(
    ({ limits }) => limits.free_evals.remaining,
    () => undefined,
  );
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
    timer = setInterval(() => {
      if (run.evalId !== undefined) leave();
    }, REDRAW_MS);
  });
  return () => {
    clearInterval(timer);
    stopListening();
  };
}

function sayWhatGoesOn({ terminal }: Context, { evalId }: Run, { store }: CompareCommandOptions): void {
  const rest =
    store === false
      ? 'will be charged. Its answers are not stored.'
      : `will be stored and charged. To see it: mcs eval ${evalId}`;
  terminal.note(evalId === undefined ? 'Interrupted.' : `Stopped watching. The run continues and ${rest}`);
}
