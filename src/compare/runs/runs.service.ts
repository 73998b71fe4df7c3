import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { hasScope } from '../../auth/scopes';
import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import { RunEndingsService } from './run-endings.service';
import { RunsRepository, type RunRecord } from './runs.repository';

/** Reads runs and takes queued ones back. Another user's run does not exist, nor does another key's for a key that may not read evals. */
@Injectable()
export class RunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly endings: RunEndingsService,
  ) {}

  /** One page of the runs that the caller may see, newest first. */
  async list(caller: Caller, limit: number, after: string | undefined): Promise<Page<RunRecord>> {
    const keyId = hasScope(caller.scopes, 'evals:read') ? undefined : caller.keyId;
    return paginate(await this.runs.page(caller.userId, limit + 1, { after, keyId }), limit, ({ id }) => id);
  }

  /** @throws ApiError not_found, also for a malformed id, for another user's run, and for another key's where this one may not read evals */
  async get({ userId, keyId, scopes }: Caller, id: string): Promise<RunRecord> {
    const run = isId('run', id) ? await this.runs.find(userId, id) : undefined;
    if (run === undefined || (run.keyId !== keyId && !hasScope(scopes, 'evals:read'))) throw new ApiError('not_found', { message: 'No run with this id exists.' });
    return run;
  }

  /** Cancels a queued run: it never runs and is not charged. @throws ApiError not_found as `get` does, conflict for a run that has started or ended */
  async cancel(caller: Caller, id: string): Promise<void> {
    await this.get(caller, id);
    if (await this.endings.cancel(caller.userId, id)) return;
    const { state } = await this.get(caller, id);
    const message = state === 'running' ? 'This run has begun and cannot be stopped; its eval will be stored and charged.' : `This run has ended already (${state}).`;
    throw new ApiError('conflict', { message });
  }
}
