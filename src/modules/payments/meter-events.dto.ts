import { Money } from '../../common/money';
import { choice, type FieldKind } from '../../platform/http/validation/field-kinds';
import { Field, PageCursor, PageLimit, QueryField } from '../../platform/http/validation/field.decorators';
import { METER_EVENT_STATES, meterEventStateOf, type MeterEventState } from './meter-event-state';
import type { MeterEvent } from './meter-event.entity';
import { Choice, DateTime, Integer, Parts, Schema, Text, UsdAmount } from '../../platform/http/answer.decorators';

const NANO_USD = '0.000000001';
const YES: FieldKind = {
  schema: { type: 'boolean' },
  expected: 'true',
  isOfType: (value) => value === true,
  isUnquoted: true,
};

/** Query of GET /admin/meter-events. */
export class MeterEventQuery {
  @QueryField(choice(METER_EVENT_STATES), 'The state of the events.', { default: 'parked' })
  state: MeterEventState = 'parked';

  @PageLimit('events')
  limit: number = 20;

  @PageCursor('chg')
  cursor?: string;
}

@Schema('The confirmation that the event can be sent again.')
export class ResendRequest {
  @Field(YES, 'Must be true: it confirms that you looked in Stripe and the event did not arrive.')
  not_received!: true;
}

@Schema('A charge on its way to Stripe.')
export class MeterEventDto {
  @Text('Charge ID.')
  charge_id!: string;

  @Text('User ID.')
  user_id!: string;

  @Choice(
    METER_EVENT_STATES,
    '`parked`: sent only on request; `waiting`: will be sent; `sent`: arrived; `empty`: adds nothing to the meter.',
  )
  state!: MeterEventState;

  @UsdAmount('The amount that the charge adds to the meter, in USD.')
  amount_usd!: Money;

  @DateTime('Time of the charge (UTC).')
  occurred_at!: string;

  @Integer('Number of attempts to send it.')
  attempts!: number;

  @DateTime('The first attempt that may have arrived (UTC).', { nullable: true })
  uncertain_since!: string | null;

  @DateTime('The next attempt (UTC).', { nullable: true })
  next_attempt_at!: string | null;

  @DateTime('When it arrived (UTC).', { nullable: true })
  sent_at!: string | null;

  @Text('Why the last attempt failed.', { nullable: true })
  last_error!: string | null;

  static from(event: MeterEvent): MeterEventDto {
    return {
      charge_id: event.chargeId,
      user_id: event.userId,
      state: meterEventStateOf(event),
      amount_usd: Money.of(event.nanoUsd.toString()).times(NANO_USD),
      occurred_at: event.occurredAt.toISOString(),
      attempts: event.attempts,
      uncertain_since: event.uncertainSince?.toISOString() ?? null,
      next_attempt_at: event.nextAttemptAt?.toISOString() ?? null,
      sent_at: event.sentAt?.toISOString() ?? null,
      last_error: event.lastError,
    };
  }
}

@Schema('A page of meter events.')
export class MeterEventListDto {
  @Parts(MeterEventDto, 'Newest first.')
  events!: MeterEventDto[];

  @Integer('The limit applied.')
  limit!: number;
}
