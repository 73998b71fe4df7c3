/**
 * What the database does after each charge of a user who pays through the payment provider: it puts a meter event into the outbox,
 * in the charge's own transaction. A trigger, so that no way of writing a charge can forget it, so that billing need not know of payments,
 * and so that a compare sends no statement more; where nobody has a customer it is one look-up in an empty table.
 *
 * The event's value is what the user's charges have grown by in whole nano-dollars, rounded down over all of them and not one by one, so no
 * fraction is lost. A meter takes nothing negative: after a credit the sum stays where it was until the charges have caught up with it.
 */
// The user's row is locked first, also by whoever makes the customer: a charge is seen either here or there.
export const METER_CHARGE = `
  declare
    customer payment_customers;
    mark bigint;
  begin
    if new.charge = 0 then return null; end if;
    perform from users where id = new.user_id for key share;
    select * into customer from payment_customers where user_id = new.user_id for update;
    if not found then return null; end if;
    mark := greatest(customer.metered_nano_usd, floor((customer.charged + new.charge) * 1000000000));
    update payment_customers set charged = charged + new.charge, metered_nano_usd = mark where user_id = new.user_id;
    insert into meter_events (charge_id, user_id, nano_usd, occurred_at, next_attempt_at)
    values (new.id, new.user_id, mark - customer.metered_nano_usd, new.occurred_at, case when mark > customer.metered_nano_usd then clock_timestamp() end);
    return null;
  end`.trim();
