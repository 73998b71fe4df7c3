import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Put, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { ApiBodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import {
  AnnotationDto,
  AnnotationRequest,
  PreferenceDto,
  PreferenceRequest,
  PreferencesDto,
  PreferencesQuery,
} from './judgments.dto';
import { JudgmentsService } from './judgments.service';
import { MAX_COUNTED_PREFERENCES } from './preference.entity';

const ID = { name: 'id', description: 'The `eval_id` returned by POST /compare or GET /evals.' };

/** Keeps what people say about evals: preferences, notes and stars. */
@ApiTags('evals')
@Controller()
export class JudgmentsController {
  constructor(private readonly judgments: JudgmentsService) {}

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
