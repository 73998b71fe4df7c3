import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { AdminOnly, CurrentActor } from '../auth/auth.decorators';
import { ApiBodyExamples, type BodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { MeterEventDto, MeterEventListDto, MeterEventQuery, ResendRequest } from './meter-events.dto';
import { MeterEventsService } from './meter-events.service';

/** The first example is rejected, so that no event is sent again by accident. */
const RESEND_EXAMPLES: BodyExamples = [
  ['Template; rejected', { not_received: false }],
  ['The event is not in Stripe', { not_received: true }],
];

@ApiTags('admin')
@AdminOnly()
@Controller('admin/meter-events')
export class MeterEventsController {
  constructor(private readonly events: MeterEventsService) {}

  @Get()
  @ApiOperation({
    operationId: 'admin_listMeterEvents',
    summary: 'List meter events',
    description:
      'Charges on their way to Stripe, by state, newest first. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(MeterEventListDto, { errors: ['invalid_request', 'forbidden'], headers: ['Link'] })
  async list(
    @Query() { state, limit, cursor }: MeterEventQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MeterEventListDto> {
    const { items, next } = await this.events.list(state, limit, cursor);
    if (next !== undefined)
      reply.header('link', `</api/v1/admin/meter-events?state=${state}&limit=${limit}&cursor=${next}>; rel="next"`);
    return { events: items.map((event) => MeterEventDto.from(event)), limit };
  }

  @Post(':id/resend')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'admin_resendMeterEvent',
    summary: 'Send a parked meter event again',
    description: 'Look in Stripe first: an event that did arrive would be charged twice.',
  })
  @ApiParam({ name: 'id', description: 'Charge ID.' })
  @ApiBodyExamples(ResendRequest, RESEND_EXAMPLES)
  @ApiResponses(MeterEventDto, { errors: ['invalid_request', 'invalid_json', 'forbidden', 'not_found', 'conflict'] })
  async resend(
    @Body() _: ResendRequest,
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
  ): Promise<MeterEventDto> {
    return MeterEventDto.from(await this.events.resend(actor, id));
  }
}
