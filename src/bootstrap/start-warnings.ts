import { Logger } from '@nestjs/common';
import type { Clock } from '../common/clock';
import {
  aheadOfDatabaseMs,
  MAX_CLOCK_DIFFERENCE_MS,
  describeClockDifference,
} from '../platform/database/clock-difference';
import type { SqlService } from '../platform/database/sql.service';

/**
 * Leaves a line in the log for what the database answers and will not do, or what will go wrong silently. Stops
 * nothing: it may pass, as a switchover does.
 */
export async function warnAboutDatabase(sql: SqlService, clock: Clock): Promise<void> {
  const log = new Logger('Database');
  const state = await sql.queryOne<{ isReadOnly: boolean }>(
    'select current_setting(\'transaction_read_only\')::boolean as "isReadOnly"',
    [],
  );
  if (state?.isReadOnly === true)
    log.warn(
      'the database is read-only, so compares are refused until it accepts writes; is it a standby, or is default_transaction_read_only on?',
    );
  const aheadMs = await aheadOfDatabaseMs(
    async (text) => (await sql.queryOne<{ ms: number }>(text, [])) ?? { ms: clock.now().getTime() },
    clock,
  );
  if (Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS)
    log.warn(`${describeClockDifference(aheadMs)}; evals get wrong times, and keys end too early or too late`);
}
