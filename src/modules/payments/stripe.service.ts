import { Injectable } from '@nestjs/common';
import Stripe from 'stripe';
import type { Caller } from '../auth/caller';
import { Config } from '../../platform/config/config';
import { ApiError } from '../../common/errors';
import type { MeterEvent } from './meter-event.entity';
import { deliveryOf, isCustomerGone, type Delivery } from './map-stripe-error';

export const STRIPE_TIMEOUT_MS = 8000;

/** The meter in Stripe that sums the charges. */
const METER_EVENT_NAME = 'model_comparison_charge_nano_usd';

export type Metered = Pick<MeterEvent, 'chargeId' | 'nanoUsd' | 'occurredAt'> & { stripeCustomerId: string };

/** Stripe through its own SDK; no other file speaks to it. */
@Injectable()
export class StripeService {
  private readonly stripe: Stripe;

  constructor(private readonly config: Config) {
    this.stripe = new Stripe(config.STRIPE_SECRET_KEY ?? '', {
      timeout: STRIPE_TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }

  /** Makes a customer for a user; with the same idempotency key there is only ever one. @throws ApiError unavailable */
  async createCustomer({ email, userId }: Caller, idempotencyKey: string): Promise<string> {
    return (await answered(this.stripe.customers.create({ email, metadata: { user_id: userId } }, { idempotencyKey })))
      .id;
  }

  /**
   * Where the customer can leave a payment method; undefined when Stripe no longer has that customer. @throws ApiError
   * unavailable
   */
  async setupUrl(customer: string, userId: string): Promise<string | undefined> {
    const back = this.config.STRIPE_RETURN_URL ?? '';
    const session = await answered(
      unlessGone(
        this.stripe.checkout.sessions.create({
          mode: 'setup',
          currency: 'usd',
          customer,
          client_reference_id: userId,
          success_url: back,
          cancel_url: back,
        }),
      ),
    );
    return session?.url ?? undefined;
  }

  async hasPaymentMethod(customer: string): Promise<boolean> {
    const methods = await answered(unlessGone(this.stripe.customers.listPaymentMethods(customer, { limit: 1 })));
    return methods !== undefined && methods.data.length > 0;
  }

  /** The event of a webhook. @throws ApiError invalid_request when Stripe has not signed it, or not lately */
  readEvent(body: string, signature: string | undefined): Stripe.Event {
    try {
      return this.stripe.webhooks.constructEvent(body, signature ?? '', this.config.STRIPE_WEBHOOK_SECRET ?? '');
    } catch (cause) {
      throw new ApiError('invalid_request', {
        message: 'The signature is not valid.',
        param: 'Stripe-Signature',
        cause,
      });
    }
  }

  /** Adds a charge to the customer's meter. Stripe takes each identifier once, for at least 24 hours. */
  async sendMeterEvent({ chargeId, nanoUsd, occurredAt, stripeCustomerId }: Metered): Promise<Delivery> {
    try {
      await this.stripe.billing.meterEvents.create(
        {
          event_name: METER_EVENT_NAME,
          identifier: chargeId,
          timestamp: Math.floor(occurredAt.getTime() / 1000),
          payload: { stripe_customer_id: stripeCustomerId, value: nanoUsd.toString() },
        },
        { maxNetworkRetries: 0 },
      );
      return { isThere: true };
    } catch (error) {
      return deliveryOf(error);
    }
  }
}

function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (isCustomerGone(error)) return undefined;
    throw error;
  });
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    throw new ApiError('unavailable', {
      message: 'The payment provider cannot answer right now.',
      retryAfterSeconds: 10,
      cause,
    });
  }
}
