import type Stripe from 'stripe';
import { customerOfEvent } from './concerned-customer';

const event = (type: string, object: object, previous?: object) =>
  ({ type, data: { object, previous_attributes: previous } }) as unknown as Stripe.Event;

describe('The customer of a Stripe event', () => {
  test.each([
    ['a Checkout in setup mode', event('checkout.session.completed', { mode: 'setup', customer: 'cus_1' })],
    ['a setup', event('setup_intent.succeeded', { customer: 'cus_1' })],
    [
      'a setup with the customer spelled out',
      event('setup_intent.succeeded', { customer: { id: 'cus_1', object: 'customer' } }),
    ],
    ['a method that was attached', event('payment_method.attached', { customer: 'cus_1' })],
    ['a method that was detached', event('payment_method.detached', { customer: null }, { customer: 'cus_1' })],
    ['a customer that was deleted', event('customer.deleted', { id: 'cus_1' })],
  ])('is known for %s', (_, known) => {
    expect(customerOfEvent(known)).toBe('cus_1');
  });

  test.each([
    ['a Checkout with a payment', event('checkout.session.completed', { mode: 'payment', customer: 'cus_1' })],
    ['a setup of nobody', event('setup_intent.succeeded', { customer: null })],
    ['a detached method of nobody', event('payment_method.detached', { customer: null })],
    ['an invoice', event('invoice.paid', { customer: 'cus_1' })],
  ])('is absent for %s', (_, other) => {
    expect(customerOfEvent(other)).toBeUndefined();
  });
});
