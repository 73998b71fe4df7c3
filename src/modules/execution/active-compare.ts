import type { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Metrics } from '../../platform/observability/metrics';
import type { Caller } from '../auth/caller';
import type { CompareCommand, CompareContext, OnCompareEvent } from './compare.types';
import type { JobLock } from './job-lock';
import type { RunFeed, RunFeeds } from './run-feeds';

/** The parts that all compares of a process share. */
export interface Surroundings {
  clock: Clock;
  feeds: RunFeeds;
  metrics: Metrics;
  log: { error(event: object): void };
  onEnd: (compare: ActiveCompare) => void;
}

/** A compare that is under way, until it is disposed of. */
export class ActiveCompare implements Disposable {
  readonly requestId: string | undefined;
  readonly lock: JobLock | undefined;
  readonly evalId: string;
  /** The time of its start, which decides its month and its prices. */
  readonly startedAt: Date;
  /** Start on the monotonic clock. */
  readonly startedMs: number;
  /** Start of its latest round on the monotonic clock: deadlines hold for each round. */
  roundStartedMs: number;
  /** Milliseconds of waiting for vendors so far: of each round the slowest. */
  vendorMs = 0;
  /** True if all of its answers are asked for as streams. */
  readonly isStreamed: boolean;
  /** Its events for readers who take it up again; undefined for a compare without events. */
  readonly feed: RunFeed | undefined;
  /** Reports each event to the feed and to the caller, as far as there are both. */
  readonly onEvent: OnCompareEvent;
  /** Where its calls are counted, and lost costs are logged. */
  readonly metrics: Metrics;
  readonly log: Surroundings['log'];
  private readonly onEnd: Surroundings['onEnd'];

  constructor(
    readonly caller: Caller,
    readonly command: CompareCommand,
    { onEvent, isStreamed = false, requestId, lock }: CompareContext,
    { clock, feeds, metrics, log, onEnd }: Surroundings,
  ) {
    this.requestId = requestId;
    this.lock = lock;
    this.startedAt = clock.now();
    this.startedMs = this.roundStartedMs = clock.monotonicMs();
    this.evalId = lock?.evalId ?? newId('eval', this.startedAt);
    this.isStreamed = isStreamed || wantsTimes(command);
    // A compare whose caller waits for the whole has no events to take up, nor has a row of an experiment.
    const hasEvents = onEvent !== undefined || (isStreamed && lock !== undefined);
    this.feed = hasEvents ? feeds.open(this.evalId, caller, command) : undefined;
    this.onEvent = toFeedAndCaller(this.feed, onEvent);
    this.metrics = metrics;
    this.log = log;
    this.onEnd = onEnd;
  }

  [Symbol.dispose](): void {
    this.onEnd(this);
  }
}

function toFeedAndCaller(feed: RunFeed | undefined, onEvent: OnCompareEvent = () => undefined): OnCompareEvent {
  return feed === undefined
    ? onEvent
    : (event) => {
        feed.push(event);
        onEvent(event);
      };
}

/** True if its statistics or checks read the time to the first text. */
function wantsTimes({ samples, checks }: CompareCommand): boolean {
  return samples > 1 || checks.some((check) => check.type === 'latency' && check.of === 'first_token');
}
