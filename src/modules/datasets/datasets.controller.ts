import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res, type OnModuleDestroy } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor';
import { CurrentActor, RequiresScope, type AuthenticatedRequest } from '../auth/auth.decorators';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Config } from '../../platform/config/config';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { readStreamedBody, streamedFormat } from '../../platform/http/streamed-body';
import {
  CreateDatasetQuery,
  DatasetDto,
  type CreatedDatasetDto,
  DatasetListDto,
  DatasetRowListDto,
  DatasetRowsQuery,
  DatasetsQuery,
} from './datasets.dto';
import { ApiCreateDataset } from './datasets.openapi';
import { DatasetsService } from './datasets.service';
import { emptyBody } from './split-json-rows';

const DATASET_ID = { name: 'id', description: 'The `dataset_id` returned by POST /datasets or GET /datasets.' };

@ApiTags('datasets')
@Controller('datasets')
export class DatasetsController implements OnModuleDestroy {
  private readonly stop = new AbortController();

  constructor(
    private readonly datasets: DatasetsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Ends the uploads under way once nothing more is served, so that each gets a response. */
  onModuleDestroy(): void {
    this.stop.abort(new ApiError('unavailable', { retryAfterSeconds: 5 }));
  }

  @Post()
  @RouteConfig({ streamedBody: true })
  @RequiresScope('experiments')
  @ApiCreateDataset()
  async create(
    @CurrentActor() actor: Actor,
    @Req() request: AuthenticatedRequest,
    @Query() query: CreateDatasetQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedDatasetDto> {
    const format = streamedFormat(request);
    if (format === undefined) throw emptyBody();
    const content = {
      format,
      chunks: readStreamedBody(request, reply, {
        maxBytes: this.config.DATASET_MAX_BYTES,
        stop: this.stop.signal,
        clock: this.clock,
      }),
    };
    const { dataset, isNew, notes } = await this.datasets.create(actor, request.caller, {
      name: query.name ?? 'untitled',
      columns: query.toColumns(),
      maxRows: this.config.DATASET_MAX_ROWS,
      content,
    });
    reply.status(isNew ? 201 : 200);
    return { ...DatasetDto.from(dataset), notes };
  }

  @Get()
  @RequiresScope('experiments:read')
  @ApiOperation({
    summary: 'List data sets',
    description: 'Newest first. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiResponses(DatasetListDto, { errors: ['invalid_request', 'insufficient_scope'], headers: ['Link'] })
  async list(
    @Req() { caller }: AuthenticatedRequest,
    @Query() query: DatasetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DatasetListDto> {
    const page = await this.datasets.list(caller, query.limit, query.cursor);
    if (page.next !== undefined)
      reply.header('link', `</api/v1/datasets?limit=${query.limit}&cursor=${page.next}>; rel="next"`);
    return DatasetListDto.from(page, query);
  }

  @Get(':id')
  @RequiresScope('experiments:read')
  @ApiOperation({ summary: 'Get a data set', description: 'Without its rows.' })
  @ApiParam(DATASET_ID)
  @ApiResponses(DatasetDto, { errors: ['insufficient_scope', 'not_found'] })
  async get(@Req() { caller }: AuthenticatedRequest, @Param('id') id: string): Promise<DatasetDto> {
    return DatasetDto.from(await this.datasets.find(caller.userId, id));
  }

  @Get(':id/rows')
  @RequiresScope('experiments:read')
  @ApiOperation({
    summary: 'List the rows of a data set',
    description:
      'In the order in which experiments take them, which is drawn from the content. The header `Link: <…>; rel="next"` gives the next page.',
  })
  @ApiParam(DATASET_ID)
  @ApiResponses(DatasetRowListDto, {
    errors: ['invalid_request', 'insufficient_scope', 'not_found'],
    headers: ['Link'],
  })
  async rows(
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
    @Query() query: DatasetRowsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DatasetRowListDto> {
    const page = await this.datasets.rows(caller, id, query.limit, query.fromNo);
    if (page.next !== undefined)
      reply.header('link', `</api/v1/datasets/${id}/rows?limit=${query.limit}&cursor=${page.next}>; rel="next"`);
    return DatasetRowListDto.from(page, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('experiments')
  @ApiOperation({
    summary: 'Delete a data set',
    description: 'Permanently deletes its rows. Refused while an experiment on it is running or paused.',
  })
  @ApiParam(DATASET_ID)
  @ApiResponses(undefined, { status: 204, errors: ['invalid_json', 'insufficient_scope', 'not_found', 'conflict'] })
  async delete(
    @CurrentActor() actor: Actor,
    @Req() { caller }: AuthenticatedRequest,
    @Param('id') id: string,
  ): Promise<void> {
    await this.datasets.delete(actor, caller, id);
  }
}
