import type { Caller } from '../auth/caller';
import { hasScope } from '../auth/scopes';
import { ApiError } from '../../common/errors';
import type { CompareCommand, CompareEvent, CompareOutcome, OnCompareEvent } from './compare.types';
import { idempotencyOf } from './idempotency';
import { LockLostError } from './job-lock';

/** How many readers may follow one run again at the same time. */
const MAX_READERS = 8;
const RETRY_AFTER_SECONDS = 5;

type Delta = Extract<CompareEvent, { type: 'delta' }>;

/**
 * The events of a streamed run, kept while it runs so that a reader can take it up from the beginning. Text is joined
 * by model and sample: it takes no more memory than the answers.
 */
export class RunFeed {
  private readonly events: CompareEvent[] = [];
  private readonly texts = new Map<string, Delta>();
  private readonly readers = new Set<OnCompareEvent>();
  private readonly ended = Promise.withResolvers<CompareOutcome>();

  constructor(
    readonly caller: Caller,
    readonly command: CompareCommand,
  ) {
    // Most runs have no reader who would learn of a failure here.
    this.ended.promise.catch(() => undefined);
  }

  /** Keeps an event and hands it to the readers. */
  push(event: CompareEvent): void {
    this.keep(event);
    for (const reader of this.readers) reader(event);
  }

  /**
   * Hands over all events so far, and then each one as it happens. Resolves with the outcome, or with undefined once
   * the reader has left. @throws ApiError rate_limited, unavailable; the error that ended the run
   */
  async follow(onEvent: OnCompareEvent, left: Promise<undefined>): Promise<CompareOutcome | undefined> {
    if (this.readers.size >= MAX_READERS)
      throw new ApiError('rate_limited', {
        message: `This run has ${MAX_READERS} readers already; try again after Retry-After seconds.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    for (const event of this.events) onEvent(event);
    this.readers.add(onEvent);
    try {
      return await Promise.race([this.ended.promise, left]);
    } finally {
      this.readers.delete(onEvent);
    }
  }

  end(outcome: CompareOutcome): void {
    this.ended.resolve(outcome);
  }

  /** A run whose lock is lost goes on in another process. */
  fail(error: unknown): void {
    this.ended.reject(
      error instanceof LockLostError
        ? new ApiError('unavailable', {
            message: 'This run goes on in another process; ask for its state.',
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          })
        : error,
    );
  }

  private keep(event: CompareEvent): void {
    if (event.type !== 'delta') {
      this.events.push(event);
      return;
    }
    const known = this.texts.get(event.model);
    if (known !== undefined && known.sample === event.sample) {
      known.text += event.text;
      return;
    }
    const first = { ...event };
    this.texts.set(event.model, first);
    this.events.push(first);
  }
}

/** The streamed runs of this process, by the id of their eval. */
export class RunFeeds {
  private readonly feeds = new Map<string, RunFeed>();

  /** Begins to keep the events of a run. */
  open(evalId: string, caller: Caller, command: CompareCommand): RunFeed {
    const feed = new RunFeed(caller, command);
    this.feeds.set(evalId, feed);
    return feed;
  }

  /** Forgets the run; its readers still get its end. */
  close(evalId: string, feed: RunFeed): void {
    // Another attempt of the same job may have begun.
    if (this.feeds.get(evalId) === feed) this.feeds.delete(evalId);
  }

  /** The run with this eval, if it is in flight here and the caller may see it. */
  find(caller: Caller, evalId: string): RunFeed | undefined {
    const feed = this.feeds.get(evalId);
    return feed !== undefined && maySee(caller, feed) ? feed : undefined;
  }

  /** The run in flight here that the same command with the same Idempotency-Key has begun. */
  findSame(caller: Caller, command: CompareCommand): RunFeed | undefined {
    const wanted = idempotencyOf(command);
    return (
      wanted &&
      [...this.feeds.values()].find(
        (feed) =>
          feed.command.idempotencyKey === wanted.key &&
          maySee(caller, feed) &&
          idempotencyOf(feed.command)?.fingerprint === wanted.fingerprint,
      )
    );
  }
}

function maySee({ userId, keyId, scopes }: Caller, { caller }: RunFeed): boolean {
  return caller.userId === userId && (caller.keyId === keyId || hasScope(scopes, 'evals:read'));
}
