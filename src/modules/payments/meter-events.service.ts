import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit/actor';
import { AuditService } from '../audit/audit.service';
import { changesOf } from '../audit/changes';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { paginate, type Page } from '../../common/page';
import { deadLetterReason } from './meter-event-retry-policy';
import { meterEventStateOf, type MeterEventState } from './meter-event-state';
import type { MeterEvent } from './meter-event.entity';
import { MeterEventsRepository } from './meter-events.repository';

const NOT_PARKED: Readonly<Record<Exclude<MeterEventState, 'parked'>, string>> = {
  waiting: 'This meter event waits to be sent; there is nothing to do.',
  sent: 'This meter event was sent.',
  empty: 'The charge of this meter event adds nothing to the meter, so that there is nothing to send.',
};

/** The outbox of meter events, as the operator looks after it. */
@Injectable()
export class MeterEventsService {
  constructor(
    private readonly events: MeterEventsRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  async list(state: MeterEventState, limit: number, after?: string): Promise<Page<MeterEvent>> {
    return paginate(await this.events.page(state, limit + 1, after), limit, ({ chargeId }) => chargeId);
  }

  /**
   * Has a parked event sent again, which the operator knows not to have arrived. @throws ApiError not_found, conflict
   * when it is not parked or too old
   */
  async resend(actor: Actor, chargeId: string): Promise<MeterEvent> {
    return this.audit.change(actor, async (tx) => {
      const event = await this.events.lock(tx, chargeId);
      if (event === null)
        throw new ApiError('not_found', { message: 'There is no meter event of a charge with this id.' });
      const state = meterEventStateOf(event);
      if (state !== 'parked') throw new ApiError('conflict', { message: NOT_PARKED[state] });
      const reason = deadLetterReason({ occurredAt: event.occurredAt, uncertainSeconds: 0 }, this.clock.now());
      if (reason !== undefined) throw new ApiError('conflict', { message: `${reason} Charge it in Stripe by hand.` });
      const after = { nextAttemptAt: await this.events.resend(tx, chargeId), uncertainSince: null };
      const changes = changesOf<MeterEvent>(event, after, ['nextAttemptAt', 'uncertainSince']);
      return {
        value: { ...event, ...after },
        note: { action: 'meter_event.resent', targetType: 'meter_event', targetId: chargeId, changes },
      };
    });
  }
}
