import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth/auth.decorators';
import { StripePaymentsService } from './stripe-payments.service';

/** The webhook of Stripe. It has no key; a signature over the raw body authenticates it. */
@Public()
@ApiExcludeController()
@Controller('billing/webhooks/stripe')
export class StripeWebhookController {
  constructor(private readonly payments: StripePaymentsService) {}

  @Post()
  @HttpCode(200)
  @RouteConfig({ rawBody: true })
  async receive(
    @Req() { body }: FastifyRequest,
    @Headers('stripe-signature') signature: string | undefined,
  ): Promise<{ received: true }> {
    await this.payments.receive(typeof body === 'string' ? body : '', signature);
    return { received: true };
  }
}
