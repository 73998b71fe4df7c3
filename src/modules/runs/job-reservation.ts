import { createHash } from 'node:crypto';
import type { ReservationAttempt } from '../billing/reservation.types';
import type { JobClaim } from './job.types';

/** The alphabet of a ULID; 16 of its 26 characters are random. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_CHARACTERS = 16;

/**
 * The reservation of this attempt of a job, and reservations that an earlier, dead process may have left. Their ids
 * follow from the job and the fence, so that they are
 * known without being stored: an abandoned reservation must not block the user's own job until it expires.
 */
export function reservationOf({ runId, fence }: JobClaim): ReservationAttempt {
  return {
    id: reservationId(runId, fence),
    abandoned: Array.from({ length: fence - 1 }, (_, earlier) => reservationId(runId, earlier + 1)),
  };
}

function reservationId(runId: string, fence: number): string {
  const digest = createHash('sha256').update(`${runId} ${fence}`).digest();
  const time = runId.slice(runId.indexOf('_') + 1, -RANDOM_CHARACTERS);
  return `rsv_${time}${Array.from(digest.subarray(0, RANDOM_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
