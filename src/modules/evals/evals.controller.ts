import { Controller, Delete, Get, HttpCode, Param, Query, Req, Res, Body, Patch, Put } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { EvalListDto, EvalListQuery } from './evals.dto';
import { EvalsService } from './evals.service';
import { JudgmentsService } from './judgments.service';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import {
  AnnotationDto,
  AnnotationRequest,
  PreferenceDto,
  PreferenceRequest,
  PreferencesDto,
  PreferencesQuery,
} from './judgments.dto';
import { MAX_COUNTED_PREFERENCES } from './preference.entity';

const ID = { name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' };

@ApiTags('evals')
@Controller()
export class EvalsController {
  constructor(
    private readonly evals: EvalsService,
    private readonly judgments: JudgmentsService,
  ) {}

  @Get('evals')
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

  @Delete('evals/:id')
  @HttpCode(204)
  // A key that may create evals may erase them; the read scopes allow no changes.
  @RequiresScope('compare')
  @ApiOperation({
    summary: 'Erase an eval',
    description: 'Permanently deletes prompt, input and outputs. Usage, statement and breakdown keep the charge.',
  })
  @ApiParam(ID)
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found'] })
  async erase(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<void> {
    await this.evals.erase(actor, caller, id);
  }

  @Put('evals/:id/preference')
  // The read scopes allow no change, and only a key that may read an eval judges it.
  @RequiresScope('compare', 'evals:read')
  @ApiOperation({
    operationId: 'evals_prefer',
    summary: 'Choose the better answer',
    description: 'Each key has one preference in an eval; a second one replaces the first.',
  })
  @ApiParam(ID)
  @ApiBodyExamples(PreferenceRequest, [
    ['A model', { preferred: 'sim-swift' }],
    ['Chosen blind, with a reason', { preferred: 'sim-swift', blind: true, reason: 'It names the source.' }],
    ['Equally good', { preferred: 'tie' }],
  ])
  @ApiResponses(PreferenceDto, { errors: ['invalid_request', 'invalid_json', 'insufficient_scope', 'not_found'] })
  async prefer(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Body() body: PreferenceRequest,
  ): Promise<PreferenceDto> {
    return PreferenceDto.from(await this.judgments.prefer(caller, id, body));
  }

  @Delete('evals/:id/preference')
  @HttpCode(204)
  @RequiresScope('compare', 'evals:read')
  @ApiOperation({
    operationId: 'evals_unprefer',
    summary: 'Take a choice back',
    description: 'Deletes the preference of the key, if there is one.',
  })
  @ApiParam(ID)
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found'] })
  async unprefer(@Req() { caller }: AuthenticatedRequest, @Param('id') id: string): Promise<void> {
    await this.judgments.unprefer(caller, id);
  }

  @Patch('evals/:id')
  @RequiresScope('compare', 'evals:read')
  @ApiOperation({
    operationId: 'evals_annotate',
    summary: 'Write a note on an eval, or star it',
    description: 'The same for all keys of the user. The results of an eval never change.',
  })
  @ApiParam(ID)
  @ApiBodyExamples(AnnotationRequest, [
    ['A star', { starred: true }],
    ['A note', { note: 'The prompt of the March release.' }],
    ['No note, no star', { note: null, starred: false }],
  ])
  @ApiResponses(AnnotationDto, { errors: ['invalid_request', 'invalid_json', 'insufficient_scope', 'not_found'] })
  async annotate(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Body() body: AnnotationRequest,
  ): Promise<AnnotationDto> {
    return this.judgments.annotate(caller, id, body);
  }

  @Get('preferences')
  @RequiresScope('evals:read')
  @ApiOperation({
    operationId: 'evals_preferences',
    summary: 'Count preferences',
    description: `How often which model was preferred, over all keys of the user: by pair and by model, with intervals. Counts the newest ${MAX_COUNTED_PREFERENCES.toLocaleString('en-US')} preferences; \`since\` shortens the time.`,
  })
  @ApiResponses(PreferencesDto, { errors: ['invalid_request', 'insufficient_scope'] })
  async count(@Req() { caller }: AuthenticatedRequest, @Query() query: PreferencesQuery): Promise<PreferencesDto> {
    return PreferencesDto.from(await this.judgments.count(caller, query.toQuestion()));
  }
}
