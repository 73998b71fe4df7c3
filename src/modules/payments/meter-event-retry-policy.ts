import { DAY_MS } from '../../common/clock';

/** Stripe refuses events older than 35 days. */
const MAX_AGE_MS = 34 * DAY_MS;
/** Stripe remembers identifiers for at least 24 hours. */
const MAX_UNCERTAIN_SECONDS = 23 * 3600;
const MAX_BACKOFF_SECONDS = 3600;

export function backoffSeconds(attempts: number): number {
  return Math.min(2 ** (attempts - 1), MAX_BACKOFF_SECONDS);
}

/** Why an event must not be sent any more; undefined while it may. */
export function deadLetterReason(
  { occurredAt, uncertainSeconds }: { occurredAt: Date; uncertainSeconds: number },
  now: Date,
): string | undefined {
  if (now.getTime() - occurredAt.getTime() > MAX_AGE_MS)
    return 'Not sent within 34 days; Stripe takes no older events.';
  if (uncertainSeconds > MAX_UNCERTAIN_SECONDS)
    return 'Perhaps received more than 23 hours ago; sending it again could charge it twice.';
  return undefined;
}
