import { batch, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import {
  CompareError,
  type CompareEvent,
  type CompareRequest,
  type CompareRun,
  ConnectionError,
  type Eval,
  type IncludeOptions,
} from '../../../client/client';
import { inclusionsOf, samplesOf } from '../evaluated';
import { findEval } from './find-eval';
import { FrameQueue, type FrameScheduler, nextFrame } from './frame-queue';
import {
  applyEvent,
  type ColumnState,
  markRunFailed,
  markRunLost,
  newRun,
  type RunEvent,
  type RunFailure,
  runOfEval,
  type RunState,
} from './run';

/**
 * The state of a watched run: `finding` asks for the eval of a run without a connection, `loading` for a stored eval;
 * `refused` had an error
 * before the first event, `failed` an error after it, `gone` ended without a stored eval.
 */
type WatchPhase = 'sending' | 'watching' | 'finding' | 'loading' | 'stopped' | 'ended' | 'failed' | 'refused' | 'gone';

type SendOptions = IncludeOptions & { idempotencyKey: string; signal: AbortSignal };

/** The part of the client that sends a run and finds its eval. */
export interface RunClient {
  stream(body: CompareRequest, options: SendOptions): CompareRun<CompareEvent, Eval>;
  compare(body: CompareRequest, options: SendOptions): Promise<Eval>;
  runs: { stream(evalId: string, options: { signal: AbortSignal }): AsyncIterable<RunEvent> };
  evals: {
    get(evalId: string, options: IncludeOptions & { preference?: boolean } & { signal: AbortSignal }): Promise<Eval>;
  };
}

/** The dependencies of a live run. */
export interface Surroundings {
  client: () => RunClient;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  nowMs: () => number;
  /** Called when what a reload has to know has changed. */
  onChange: (run: LiveRun) => void;
  onEvent?: (event: RunEvent, run: LiveRun) => void;
  schedule?: FrameScheduler;
}

/** An event, and when it came, in milliseconds since the run was sent. */
type TimedEvent = RunEvent & { atMs: number | undefined };

/** A run as the screen shows it: one signal for each column, so that a token costs its column and nothing else. */
export class LiveRun {
  readonly columns: readonly Signal<ColumnState>[];
  readonly phase = signal<WatchPhase>('sending');
  readonly evalId: Signal<string | undefined>;
  readonly stored = signal<Eval | undefined>(undefined);
  readonly failure = signal<RunFailure | undefined>(undefined);
  /** The error that refused the run before its first event. */
  readonly refusal = signal<CompareError | undefined>(undefined);
  /** When it was sent, also before a reload, by the clock that never goes back. */
  readonly startedAt: number;
  /** The state that its answers are rendered from. */
  readonly source: AnswersSource;
  /** When the service takes another run, by the clock that never goes back; undefined where it did not say. */
  mayRunAgainAt: number | undefined;
  private state: RunState;
  private stop = new AbortController();

  /** True once its connection has broken. */
  isCut = false;

  constructor(
    readonly request: CompareRequest,
    readonly idempotencyKey: string,
    private readonly surroundings: Surroundings,
    { evalId, sentMsAgo = 0 }: { evalId?: string | undefined; sentMsAgo?: number } = {},
  ) {
    this.state = { ...newRun(request.models, samplesOf(request.options)), evalId };
    this.columns = this.state.columns.map((column) => signal(column));
    this.evalId = signal(evalId);
    this.startedAt = surroundings.nowMs() - sentMsAgo;
    this.source = { columns: this.columns, stored: this.stored, startedAt: this.startedAt };
  }

  /** True if more events may come. */
  get isOpen(): boolean {
    return ['sending', 'watching', 'finding'].includes(this.phase.peek());
  }

  /** True where it went out of sight because its key is no longer valid. */
  get lacksKey(): boolean {
    return this.state.evalId !== undefined && (this.failure.peek() ?? this.refusal.peek())?.code === 'unauthorized';
  }

  /** Sends it and watches it to its end. Never rejects. */
  async watch(): Promise<void> {
    this.phase.value = 'sending';
    this.surroundings.onChange(this);
    try {
      await this.readOnceMore();
    } catch (error) {
      await this.afterCut(error);
    }
    this.surroundings.onChange(this);
  }

  /**
   * Watches an earlier run again, sent before a reload or no longer watched, or else asks for its eval. Never rejects.
   */
  async find({ atOnce = false } = {}): Promise<void> {
    this.stop = new AbortController();
    batch(() => {
      this.refusal.value = undefined;
      this.phase.value = atOnce ? 'loading' : 'finding';
      // The page cannot know that anything still writes.
      if (!atOnce) this.show({ ...markRunLost(this.state), failure: undefined });
    });
    try {
      if (atOnce || !(await this.hasTakenUp())) {
        const stored = atOnce ? await this.get() : await this.search();
        if (stored === undefined) this.lose('gone');
        else this.show(runOfEval(stored));
      }
    } catch (error) {
      if (!this.stop.signal.aborted) this.lose('gone', error);
    }
    this.surroundings.onChange(this);
  }

  /** Stops watching; the run itself goes on. */
  stopWatching(): void {
    if (!this.isOpen) return;
    this.stop.abort(new Error('Stopped watching.'));
    this.lose('stopped');
    this.surroundings.onChange(this);
  }

  /** Gives up watching without a word, for when something else takes its position. */
  abandon(): void {
    this.stop.abort(new Error('Abandoned.'));
  }

  /** A connection that is cut before the first event is tried once more; the Idempotency-Key keeps it one run. */
  private async readOnceMore(): Promise<void> {
    try {
      await this.read(this.sent());
    } catch (error) {
      if (!(error instanceof ConnectionError) || this.state.evalId !== undefined || this.stop.signal.aborted)
        throw error;
      await this.read(this.sent());
    }
  }

  private async read(events: AsyncIterable<RunEvent>, isFromBeginning = true): Promise<void> {
    const queue = new FrameQueue<TimedEvent>((timed) => this.take(timed), this.surroundings.schedule ?? nextFrame);
    try {
      for await (const event of events) {
        queue.push({ ...event, atMs: isFromBeginning ? this.surroundings.nowMs() - this.startedAt : undefined });
        if (event.event === 'eval-started') queue.flush();
      }
    } finally {
      queue.flush();
    }
  }

  private sent(): AsyncIterable<RunEvent> {
    const { request, idempotencyKey } = this;
    const { signal } = this.stop;
    return this.surroundings.client().stream(request, { ...inclusionsOf(request), idempotencyKey, signal });
  }

  /**
   * Watches the run from its first event to its end, if the process that answers runs it. False if it cannot be
   * watched: its eval is asked for instead.
   */
  private async hasTakenUp(): Promise<boolean> {
    if (this.state.evalId === undefined) return false;
    try {
      // When its first texts came is not known any more.
      await this.read(this.takenUp(this.state.evalId), false);
      return true;
    } catch (error) {
      if (this.stop.signal.aborted) throw error;
      this.show(markRunLost(this.state));
      this.phase.value = 'finding';
      return false;
    }
  }

  private async *takenUp(evalId: string): AsyncGenerator<RunEvent> {
    for await (const event of this.surroundings.client().runs.stream(evalId, { signal: this.stop.signal })) {
      if (event.event === 'eval-started') {
        this.show({ ...newRun(this.request.models, samplesOf(this.request.options)), evalId });
        this.phase.value = 'watching';
      }
      // The stream has the eval without its details, and is the only copy where nothing is stored.
      yield event.event === 'eval' && this.request.options?.store !== false
        ? { event: 'eval', data: await this.get() }
        : event;
    }
  }

  private take(events: readonly TimedEvent[]): void {
    if (this.stop.signal.aborted) return;
    this.show(events.reduce((state, event) => applyEvent(state, event, event.atMs), this.state));
    for (const event of events) this.surroundings.onEvent?.(event, this);
    if (events.some(({ event }) => event === 'eval-started')) this.surroundings.onChange(this);
  }

  private async afterCut(error: unknown): Promise<void> {
    if (this.stop.signal.aborted) return;
    this.isCut = error instanceof ConnectionError;
    if (this.isCut && this.state.evalId !== undefined) return await this.find();
    if (!(error instanceof CompareError)) {
      this.lose('gone');
      throw error;
    }
    this.mayRunAgainAt =
      error.retryAfter === undefined ? undefined : this.surroundings.nowMs() + error.retryAfter * 1000;
    batch(() => {
      this.refusal.value = error;
      this.show(
        markRunFailed(this.state, { error: { code: error.code, message: error.message, details: error.details } }),
      );
      this.phase.value = 'refused';
    });
  }

  private get(): Promise<Eval> {
    return this.surroundings.client().evals.get(this.state.evalId ?? '', {
      ...inclusionsOf(this.request),
      preference: true,
      signal: this.stop.signal,
    });
  }

  private search(): Promise<Eval | undefined> {
    const { request, idempotencyKey } = this;
    const { signal } = this.stop;
    return findEval({
      get: () => this.get(),
      replay: () => this.surroundings.client().compare(request, { ...inclusionsOf(request), idempotencyKey, signal }),
      wait: (ms) => this.surroundings.wait(ms, signal),
      rounds: samplesOf(request.options),
      sentMsAgo: this.surroundings.nowMs() - this.startedAt,
    });
  }

  private lose(phase: WatchPhase, error?: unknown): void {
    batch(() => {
      this.show(markRunLost(this.state));
      this.phase.value = phase;
      if (error instanceof CompareError) this.refusal.value = error;
    });
  }

  private show(state: RunState): void {
    this.state = state;
    batch(() => {
      for (const column of this.columns)
        column.value =
          state.columns.find(({ model, sample }) => model === column.peek().model && sample === column.peek().sample) ??
          column.peek();
      this.evalId.value = state.evalId;
      this.stored.value = state.stored;
      this.failure.value = state.failure;
      if (state.stored !== undefined) this.phase.value = 'ended';
      else if (state.failure !== undefined) this.phase.value = 'failed';
      else if (this.phase.peek() === 'sending' && state.evalId !== undefined) this.phase.value = 'watching';
    });
  }
}

/** The source of the answers: a watched run, or a stored eval. */
export interface AnswersSource {
  columns: readonly ReadonlySignal<ColumnState>[];
  stored: ReadonlySignal<Eval | undefined>;
  /** When the run was sent, by the monotonic clock; undefined for an ended run. */
  startedAt: number | undefined;
}

/** A stored eval to draw the answers from. */
export function sourceOfEval(stored: Eval): AnswersSource {
  return {
    columns: runOfEval(stored).columns.map((column) => signal(column)),
    stored: signal(stored),
    startedAt: undefined,
  };
}
