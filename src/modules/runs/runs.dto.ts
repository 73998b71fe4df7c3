import { ApiPropertyOptional } from '@nestjs/swagger';
import { ERRORS } from '../../common/errors';
import type { Page } from '../../common/page';
import { PageCursor, PageLimit } from '../../platform/http/validation/field.decorators';
import { JOB_STATES, type JobState } from './job.entity';
import type { JobError, JobRecord } from './job.types';
import { Choice, DateTime, LimitApplied, Part, Parts, Schema, Text } from '../../platform/http/answer.decorators';

/** Query of GET /runs. */
export class RunsQuery {
  @PageLimit('runs')
  limit: number = 20;

  @PageCursor('run', 'Cursor from the Link header of the previous page; unaffected by new runs.')
  cursor?: string;
}

@Schema('A compare that was queued.')
export class AcceptedRunDto {
  @Text('Run ID, for GET /api/v1/runs/{id}.')
  run_id!: string;

  @Text('ID that the eval will have once the run has succeeded.')
  eval_id!: string;

  @Choice(JOB_STATES, '`queued`, except where the Idempotency-Key of an earlier run was repeated.')
  status!: JobState;

  static from({ id, evalId, state }: JobRecord): AcceptedRunDto {
    return { run_id: id, eval_id: evalId, status: state };
  }
}

@Schema('Why a run failed.')
class RunErrorDto implements JobError {
  @Choice(Object.keys(ERRORS), 'Stable code for programs, as POST /compare would have answered it.')
  code!: JobError['code'];

  @Text('Message for people; the wording may change.')
  message!: string;

  @Text('The offending field of the request.', { optional: true })
  param?: string;

  @ApiPropertyOptional({ description: 'Structured facts, such as the error of each model.' })
  details?: unknown;
}

@Schema('A compare that runs in the background.')
export class RunDto {
  @Text('Run ID.')
  run_id!: string;

  @Choice(JOB_STATES, 'The last three are final: nothing is charged unless it is `succeeded`.')
  status!: JobState;

  @Text('ID of the eval; it exists once the status is `succeeded`.')
  eval_id!: string;

  @DateTime('When it was queued (UTC).')
  created_at!: string;

  @DateTime('When it began (UTC); later than before where a process died and it was begun anew.', { optional: true })
  started_at?: string;

  @DateTime('When it ended (UTC).', { optional: true })
  finished_at?: string;

  @Part(RunErrorDto, 'Why it failed.', { optional: true })
  error?: RunErrorDto;

  static from({ id, state, evalId, createdAt, startedAt, finishedAt, error }: JobRecord): RunDto {
    return {
      run_id: id,
      status: state,
      eval_id: evalId,
      created_at: createdAt.toISOString(),
      started_at: startedAt?.toISOString(),
      finished_at: finishedAt?.toISOString(),
      error: (error as RunErrorDto | null) ?? undefined,
    };
  }
}

@Schema('A page of runs.')
export class RunListDto {
  @Parts(RunDto, 'Newest first.')
  runs!: RunDto[];

  @LimitApplied()
  limit!: number;

  static from({ items: runs }: Page<JobRecord>, limit: number): RunListDto {
    return { runs: runs.map((run) => RunDto.from(run)), limit };
  }
}
