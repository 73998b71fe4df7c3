import { Readable } from 'node:stream';
import { Body, Controller, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CountedAs, CurrentCaller } from '../auth/auth.decorators';
import type { Caller } from '../auth/caller';
import { ParallelLimit } from '../auth/parallel-limit.service';
import { loggedApiError } from '../common/error.filter';
import { errorBody } from '../common/errors';
import { IncludeQuery } from '../common/include.dto';
import { EvalDto } from '../evals/eval.dto';
import type { StoredEval } from '../evals/evals.service';
import { ApiCompare } from './compare.docs';
import { CompareRequest } from './compare.dto';
import { CompareService, type CompareEvent } from './compare.service';
import { frames, outboxOf } from './event-stream';

/** The door to a run; one engine behind it, two ways to listen. */
@ApiTags('compare')
@Controller('compare')
export class CompareController {
  constructor(
    private readonly compare: CompareService,
    private readonly parallel: ParallelLimit,
  ) {}

  @Post()
  @HttpCode(200)
  @CountedAs('compare')
  @ApiOperation({
    summary: 'Compare models on one prompt',
    description: 'Sends the prompt to every listed model at the same time and stores the comparison. Models fail one by one: a failed one carries `error`, the others count.',
  })
  @ApiCompare()
  async run(
    @CurrentCaller() caller: Caller,
    @Body() body: CompareRequest,
    @Query() { include }: IncludeQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvalDto | Readable> {
    const events = this.parallel.hold(caller, this.compare.run(caller, body.toOrder()));
    const includeDetails = include === 'details';
    if (accepts(request, 'text/event-stream')) return stream(events, includeDetails, request, reply);
    const stored = await evalOf(events);
    reply.header('location', `/api/v1/evals/${stored.record.id}`);
    return EvalDto.from(stored, includeDetails);
  }
}

function accepts(request: FastifyRequest, type: string): boolean {
  return request.headers.accept?.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === type) ?? false;
}

/** Until the first event a failure is an ordinary answer with its own status; from then on it is an event. */
async function stream(events: AsyncGenerator<CompareEvent>, includeDetails: boolean, request: FastifyRequest, reply: FastifyReply): Promise<Readable> {
  const first = await events.next();
  const outbox = outboxOf(startingWith(first, events));
  reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store').header('x-accel-buffering', 'no');
  return Readable.from(frames(outbox, { includeDetails, bodyOf: (error) => errorBody(loggedApiError(error, request), request.id) }));
}

async function* startingWith<T>(first: IteratorResult<T, unknown>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

async function evalOf(events: AsyncIterable<CompareEvent>): Promise<StoredEval> {
  let stored: StoredEval | undefined;
  for await (const event of events) if (event.type === 'eval-done') stored = event.stored;
  if (stored === undefined) throw new Error('A run ended without an eval and without an error.');
  return stored;
}
