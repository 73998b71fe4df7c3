import { Body, Controller, HttpCode, Post, Res, UseInterceptors } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CountedAs, CurrentCaller } from '../auth/auth.decorators';
import type { Caller } from '../auth/caller';
import { ParallelLimit } from '../auth/parallel-limit.interceptor';
import { ApiAnswers } from '../common/api-answers.decorator';
import { EvalDto } from '../evals/evals.dto';
import type { StoredEval } from '../evals/evals.service';
import { CompareRequest } from './compare.dto';
import { CompareService, type CompareEvent } from './compare.service';

@ApiTags('compare')
@Controller('compare')
export class CompareController {
  constructor(private readonly compare: CompareService) {}

  @Post()
  @HttpCode(200)
  @CountedAs('compare')
  @UseInterceptors(ParallelLimit)
  @ApiOperation({
    summary: 'Compare models on one prompt',
    description: 'Sends the prompt to every listed model at the same time and stores the comparison. Models fail one by one: a failed one carries `error`, the others count.',
  })
  @ApiAnswers(EvalDto, {
    description: 'The eval, as GET /api/v1/evals/{id} will answer it later.',
    errors: ['invalid_request', 'invalid_json', 'unknown_model', 'payment_required', 'body_too_large', 'unsupported_media_type', 'all_models_failed'],
  })
  async run(@CurrentCaller() caller: Caller, @Body() request: CompareRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<EvalDto> {
    const stored = await evalOf(this.compare.run(caller, request.toOrder()));
    reply.header('location', `/api/v1/evals/${stored.record.id}`);
    return EvalDto.from(stored);
  }
}

async function evalOf(events: AsyncIterable<CompareEvent>): Promise<StoredEval> {
  let stored: StoredEval | undefined;
  for await (const event of events) if (event.type === 'eval-done') stored = event.stored;
  if (stored === undefined) throw new Error('A run ended without an eval and without an error.');
  return stored;
}
