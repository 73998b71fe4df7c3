import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ERRORS } from '../../common/errors';
import type { Page } from '../../common/page';
import { PageCursor, PageLimit } from '../../platform/http/validation/page.decorators';
import { JOB_STATES, type JobState } from './job.entity';
import type { JobError, JobRecord } from './job.types';

/** Query of GET /runs. */
export class RunsQuery {
  @PageLimit('runs')
  limit: number = 20;

  @PageCursor('run', { description: 'Cursor from the Link header of the previous page; unaffected by new runs.' })
  cursor?: string;
}

/** Response body of a compare that was queued. */
@ApiSchema({ name: 'AcceptedRun', description: 'A compare that was queued.' })
export class AcceptedRunDto {
  @ApiProperty({ description: 'Run ID, for GET /api/v1/runs/{id}.' })
  run_id!: string;

  @ApiProperty({ description: 'ID that the eval will have once the run has succeeded.' })
  eval_id!: string;

  @ApiProperty({
    enum: JOB_STATES,
    description: '`queued`, except where the Idempotency-Key of an earlier run was repeated.',
  })
  status!: JobState;

  static from({ id, evalId, state }: JobRecord): AcceptedRunDto {
    return { run_id: id, eval_id: evalId, status: state };
  }
}

@ApiSchema({ name: 'RunError', description: 'Why a run failed.' })
class RunErrorDto implements JobError {
  @ApiProperty({
    enum: Object.keys(ERRORS),
    description: 'Stable code for programs, as POST /compare would have answered it.',
  })
  code!: JobError['code'];

  @ApiProperty({ description: 'Message for people; the wording may change.' })
  message!: string;

  @ApiPropertyOptional({ description: 'The offending field of the request.' })
  param?: string;

  @ApiPropertyOptional({ description: 'Structured facts, such as the error of each model.' })
  details?: unknown;
}

/** A background compare. */
@ApiSchema({ name: 'Run', description: 'A compare that runs in the background.' })
export class RunDto {
  @ApiProperty({ description: 'Run ID.' })
  run_id!: string;

  @ApiProperty({
    enum: JOB_STATES,
    description: 'The last three are final: nothing is charged unless it is `succeeded`.',
  })
  status!: JobState;

  @ApiProperty({ description: 'ID of the eval; it exists once the status is `succeeded`.' })
  eval_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was queued (UTC).' })
  created_at!: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When it began (UTC); later than before where a process died and it was begun anew.',
  })
  started_at?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'When it ended (UTC).' })
  finished_at?: string;

  @ApiPropertyOptional({ type: RunErrorDto, description: 'Why it failed.' })
  error?: RunErrorDto;

  static from({ id, state, evalId, createdAt, startedAt, finishedAt, error }: JobRecord): RunDto {
    return {
      run_id: id,
      status: state,
      eval_id: evalId,
      created_at: createdAt.toISOString(),
      ...(startedAt !== null && { started_at: startedAt.toISOString() }),
      ...(finishedAt !== null && { finished_at: finishedAt.toISOString() }),
      ...(error !== null && { error: error as RunErrorDto }),
    };
  }
}

/** Response body of GET /runs. */
@ApiSchema({ name: 'RunList', description: 'A page of runs.' })
export class RunListDto {
  @ApiProperty({ type: [RunDto], description: 'Newest first.' })
  runs!: RunDto[];

  @ApiProperty({ type: 'integer', description: 'The limit applied.', example: 20 })
  limit!: number;

  static from({ items: runs }: Page<JobRecord>, limit: number): RunListDto {
    return { runs: runs.map((run) => RunDto.from(run)), limit };
  }
}
