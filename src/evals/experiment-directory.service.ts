import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { ApiError } from '../common/errors';

/** Finds an experiment of a user. @throws ApiError not_found */
export type FindExperiment = (caller: Pick<Caller, 'userId'>, id: string) => Promise<unknown>;

/** Knows which experiments there are. Their module, which is above this one, registers itself here. */
@Injectable()
export class ExperimentDirectoryService {
  private find: FindExperiment = () => Promise.reject(new ApiError('not_found'));

  /** Sets how experiments are found. */
  register(find: FindExperiment): void {
    this.find = find;
  }

  /** Returns if the user has the experiment, or none is named. @throws ApiError not_found */
  async require(caller: Pick<Caller, 'userId'>, id: string | undefined): Promise<void> {
    if (id !== undefined) await this.find(caller, id);
  }
}
