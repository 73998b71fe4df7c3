import { Money } from '../common/money';
import { choice } from '../http/validation/field-kinds';
import { QueryField } from '../http/validation/field.decorators';
import { PageCursor, PageLimit } from '../http/validation/page.decorators';
import { METER_EVENT_STATES, stateOf, type MeterEventState } from './meter-event-state';
import type { MeterEvent } from './meter-event.entity';

const NANO_USD = '0.000000001';

/** The query of a list of meter events. */
export class MeterEventQuery {
  @QueryField(choice(METER_EVENT_STATES), { default: 'parked' })
  state: MeterEventState = 'parked';

  @PageLimit('events')
  limit: number = 20;

  @PageCursor('chg', { description: 'Cursor of the next page.' })
  cursor?: string;
}

/** A meter event, as the operator sees it. */
export interface MeterEventDto {
  charge_id: string;
  user_id: string;
  state: MeterEventState;
  /** The amount that the charge adds to the meter. */
  amount_usd: Money;
  occurred_at: string;
  attempts: number;
  /** The first attempt that may have arrived. */
  uncertain_since: string | null;
  next_attempt_at: string | null;
  sent_at: string | null;
  last_error: string | null;
}

/** Converts a meter event to what the operator sees of it. */
export function meterEventDto(event: MeterEvent): MeterEventDto {
  return {
    charge_id: event.chargeId,
    user_id: event.userId,
    state: stateOf(event),
    amount_usd: Money.of(event.nanoUsd.toString()).times(NANO_USD),
    occurred_at: event.occurredAt.toISOString(),
    attempts: event.attempts,
    uncertain_since: event.uncertainSince?.toISOString() ?? null,
    next_attempt_at: event.nextAttemptAt?.toISOString() ?? null,
    sent_at: event.sentAt?.toISOString() ?? null,
    last_error: event.lastError,
  };
}
