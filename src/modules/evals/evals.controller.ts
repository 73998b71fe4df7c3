import { Controller, Delete, Get, HttpCode, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { EvalListDto, EvalListQuery } from './evals.dto';
import { EvalsService } from './evals.service';
import { JudgmentsService } from './judgments.service';

/** Lists, searches and erases evals. */
@ApiTags('evals')
@Controller('evals')
export class EvalsController {
  constructor(
    private readonly evals: EvalsService,
    private readonly judgments: JudgmentsService,
  ) {}

  @Get()
  @RequiresScope('evals:read')
  @ApiOperation({
    summary: 'List past evals',
    description:
      'Newest first, without those of experiments, unless `experiment` asks for these. The header `Link: <…>; rel="next"` gives the next page. With `q`, `model` or `starred`, a request looks at no more than 5,000 evals or 4 MB of prompts: a page may be short or empty and still have a next one.',
  })
  @ApiResponses(EvalListDto, { errors: ['invalid_request', 'insufficient_scope', 'not_found'], headers: ['Link'] })
  async list(
    @Req() { caller }: AuthenticatedRequest,
    @Query() query: EvalListQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EvalListDto> {
    const include = query.toInclusions();
    const start = { after: query.cursor, includeDetails: include.details === true, experimentId: query.experiment };
    const filter = query.toFilter();
    const page =
      filter === undefined
        ? await this.evals.list(caller, query.limit, { ...start, offset: query.offset })
        : await this.evals.search(caller, query.limit, filter, start);
    if (page.next !== undefined) reply.header('link', `</api/v1/evals?${query.nextPage(page.next)}>; rel="next"`);
    return EvalListDto.from(
      page,
      query,
      await this.judgments.of(
        caller,
        page.items.map(({ id }) => id),
        include,
      ),
      include,
    );
  }

  @Delete(':id')
  @HttpCode(204)
  // A key that may create evals may erase them; the read scopes allow no changes.
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Erase an eval',
    description:
      'Permanently deletes the prompt, input and outputs. The charge remains in the usage, statement and breakdown.',
  })
  @ApiParam({ name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' })
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found'] })
  async erase(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<void> {
    await this.evals.erase(actor, caller, id);
  }
}
