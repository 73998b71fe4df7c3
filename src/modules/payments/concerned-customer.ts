import type Stripe from 'stripe';

/** The customer whose payment methods an event may have changed; undefined for all other events. */
export function customerOfEvent(event: Stripe.Event): string | undefined {
  switch (event.type) {
    case 'checkout.session.completed':
      return event.data.object.mode === 'setup' ? idOf(event.data.object.customer) : undefined;
    case 'setup_intent.succeeded':
    case 'payment_method.attached':
      return idOf(event.data.object.customer);
    // By then no process owns it.
    case 'payment_method.detached':
      return idOf(event.data.previous_attributes?.customer);
    case 'customer.deleted':
      return event.data.object.id;
    default:
      return undefined;
  }
}

function idOf(customer: string | { id: string } | null | undefined): string | undefined {
  return typeof customer === 'string' ? customer : customer?.id;
}
