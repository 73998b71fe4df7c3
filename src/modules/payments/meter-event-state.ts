import type { MeterEvent } from './meter-event.entity';

/**
 * The state of a meter event: it waits for its next attempt, was sent, is parked for the operator, or was never needed
 * because its charge added nothing.
 */
export const METER_EVENT_STATES = ['parked', 'waiting', 'sent', 'empty'] as const;

export type MeterEventState = (typeof METER_EVENT_STATES)[number];

/** The conditions in SQL of the events in a state. */
export const CONDITION_OF: Readonly<Record<MeterEventState, string>> = {
  parked: 'next_attempt_at is null and sent_at is null and nano_usd > 0',
  waiting: 'next_attempt_at is not null and sent_at is null',
  sent: 'sent_at is not null',
  empty: 'next_attempt_at is null and sent_at is null and nano_usd = 0',
};

export function meterEventStateOf({
  sentAt,
  nextAttemptAt,
  nanoUsd,
}: Pick<MeterEvent, 'sentAt' | 'nextAttemptAt' | 'nanoUsd'>): MeterEventState {
  if (sentAt !== null) return 'sent';
  if (nextAttemptAt !== null) return 'waiting';
  return nanoUsd > 0n ? 'parked' : 'empty';
}
