import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Config } from '../../../platform/config/config';
import { ExperimentsRepository } from '../experiments.repository';
import { SummariesService } from '../summary/summaries.service';

const DAY_MS = 86_400_000;

/** An experiment that ended before the time for which texts are kept. */
export interface ExpiredExperiment {
  id: string;
  userId: string;
  endedBefore: Date;
}

/** Finds experiments that ended more than RETENTION_DAYS ago. */
@Injectable()
export class ExpiredExperimentsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly summaries: SummariesService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Finds one, and keeps its summary as long as there are texts; undefined if there is none. */
  async next(): Promise<ExpiredExperiment | undefined> {
    const { RETENTION_DAYS: days } = this.config;
    if (days === undefined) return undefined;
    const endedBefore = new Date(this.clock.now().getTime() - days * DAY_MS);
    const expired = await this.repository.inTransaction((tx) => this.repository.lockEndedBefore(tx, endedBefore));
    if (expired === undefined) return undefined;
    const { id, userId } = expired;
    await this.summaries.keepFinal(userId, id);
    return { id, userId, endedBefore };
  }
}
