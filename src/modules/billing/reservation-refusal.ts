import { ApiError } from '../../common/errors';
import { Money } from '../../common/money';
import type { ReservationAnswer, ReservationRequest, Spending } from './reservation.types';

/** By how much a further charge would exceed a limit; zero or less where it fits, or where there is no limit. */
export function excessOf(limit: Money | null, { charged, reserved }: Spending, charge: Money): Money {
  return limit === null ? Money.zero : charged.plus(reserved).plus(charge).minus(limit);
}

/** Why a reservation was not made: payment_required, spend_limit_reached or key_spend_limit_reached. */
export function refusalOf(
  { keyLimit, maxCharge, month }: ReservationRequest,
  { userLimit, user, key }: ReservationAnswer,
): ApiError {
  const isAbove = (limit: Money | null, spending: Spending) =>
    excessOf(limit, spending, maxCharge).compare(Money.zero) > 0;
  const details = (limit: Money | null, { charged, reserved }: Spending) => {
    const left = (limit ?? Money.zero).minus(charged).minus(reserved);
    return {
      limit_usd: limit,
      charged_usd: charged,
      reserved_usd: reserved,
      left_usd: left.compare(Money.zero) < 0 ? Money.zero : left,
      needed_usd: maxCharge,
      resets_at: month.end.toISOString(),
    };
  };
  if (isAbove(userLimit, user)) return new ApiError('spend_limit_reached', { details: details(userLimit, user) });
  if (isAbove(keyLimit, key)) return new ApiError('key_spend_limit_reached', { details: details(keyLimit, key) });
  return new ApiError('payment_required');
}
