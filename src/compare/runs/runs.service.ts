import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import { pageOf, type Page } from '../../common/page';
import { RunEndingsService } from './run-endings.service';
import { RunsRepository, type RunRecord } from './runs.repository';

/** Reads runs and takes queued ones back. Another user's run does not exist. */
@Injectable()
export class RunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly endings: RunEndingsService,
  ) {}

  /** One page of the caller's runs, newest first. */
  async list({ userId }: Caller, limit: number, after: string | undefined): Promise<Page<RunRecord>> {
    return pageOf(await this.runs.page(userId, limit + 1, after), limit, ({ id }) => id);
  }

  /** @throws ApiError not_found, also for a malformed id and for another user's run */
  async get({ userId }: Caller, id: string): Promise<RunRecord> {
    const run = isId('run', id) ? await this.runs.find(userId, id) : undefined;
    if (run === undefined) throw new ApiError('not_found', { message: 'No run with this id exists.' });
    return run;
  }

  /** Takes a queued run back: it will never run and is not charged. @throws ApiError not_found as `get` does, conflict for one that has begun or ended */
  async cancel(caller: Caller, id: string): Promise<void> {
    if (isId('run', id) && await this.endings.cancel(caller.userId, id)) return;
    const { state } = await this.get(caller, id);
    const message = state === 'running' ? 'This run has begun and cannot be stopped; its eval will be stored and charged.' : `This run has ended already (${state}).`;
    throw new ApiError('conflict', { message });
  }
}
