import Stripe from 'stripe';
import { deliveryOf, isCustomerGone } from './map-stripe-error';

/** An error as the SDK makes it of an answer. */
const answered = (statusCode: number, message = 'Words.', code?: string) =>
  Stripe.errors.StripeError.generate({
    type: statusCode < 500 ? 'invalid_request_error' : 'api_error',
    statusCode,
    message,
    ...(code !== undefined && { code }),
  } as never);
const broken = (code: string) =>
  new Stripe.errors.StripeConnectionError({
    message: 'An error occurred with our connection to Stripe.',
    detail: Object.assign(new Error(code), { code }),
  });

describe('A failed Stripe request', () => {
  test.each([[400], [401], [402], [403], [404], [429]])('has not arrived when the status is %p', (status) => {
    expect(deliveryOf(answered(status))).toMatchObject({
      isThere: false,
      mayHaveArrived: false,
      reason: expect.stringContaining(`${status}: Words.`),
    });
  });

  test.each([[408], [409], [500], [502], [503]])('may have arrived when the status is %p', (status) => {
    expect(deliveryOf(answered(status))).toMatchObject({ isThere: false, mayHaveArrived: true });
  });

  test.each([
    ['ECONNREFUSED', false],
    ['ENOTFOUND', false],
    ['EAI_AGAIN', false],
    ['ECONNRESET', true],
    ['ETIMEDOUT', true],
    ['EPIPE', true],
  ])('may, with %s, have arrived: %p', (code, mayHaveArrived) => {
    expect(deliveryOf(broken(code))).toMatchObject({
      isThere: false,
      mayHaveArrived,
      reason: expect.stringContaining(code),
    });
  });

  test('may have arrived when the error is of an unknown kind', () => {
    expect(deliveryOf(new Error('?'))).toMatchObject({ isThere: false, mayHaveArrived: true });
  });

  test('has arrived before when its identifier exists already', () => {
    expect(deliveryOf(answered(400, 'An event already exists with identifier chg_1.'))).toEqual({ isThere: true });
    expect(deliveryOf(answered(500, 'An event already exists with identifier chg_1.'))).toMatchObject({
      isThere: false,
    });
  });

  test('has a reason of a few hundred characters at most', () => {
    expect(deliveryOf(answered(400, 'x'.repeat(5000)))).toMatchObject({ reason: expect.stringMatching(/^.{1,300}$/) });
  });

  test('distinguishes a missing customer from anything else that is missing', () => {
    expect(isCustomerGone(answered(404, "No such customer: 'cus_1'", 'resource_missing'))).toBe(true);
    expect(isCustomerGone(answered(400, "No such price: 'price_1'", 'resource_missing'))).toBe(false);
    expect(isCustomerGone(broken('ECONNRESET'))).toBe(false);
  });
});
