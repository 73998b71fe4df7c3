import type { CompareCommand, OnCompareEvent } from './compare.types';
import type { RunFeed } from './run-feeds';

/** Reports each event to the feed and to the caller, as far as there are both. */
export function toFeedAndCaller(feed: RunFeed | undefined, onEvent: OnCompareEvent = () => undefined): OnCompareEvent {
  return feed === undefined
    ? onEvent
    : (event) => {
        feed.push(event);
        onEvent(event);
      };
}

/** True if its statistics or checks read the time to the first text. */
export function wantsTimes({ samples, checks }: CompareCommand): boolean {
  return samples > 1 || checks.some((check) => check.type === 'latency' && check.of === 'first_token');
}
