import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { isId } from '../../common/ids';
import { paginate, type Page } from '../../common/page';
import { readCommand } from '../runs/job-command';
import { CANCELED_EXPERIMENT, type Experiment } from './experiment.entity';
import type { ExperimentView } from './experiment.types';
import { ExperimentsRepository, type ExperimentWithRunning } from './experiments.repository';

/** The number of ended rows from which on the time left is estimated. */
const MIN_ROWS_OF_ETA = 20;

/** Reads experiments. An experiment of another user does not exist. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly repository: ExperimentsRepository,
    private readonly billing: BillingService,
    private readonly clock: Clock,
  ) {}

  /** One page of the caller's experiments, newest first. */
  async list({ userId }: Caller, limit: number, after: string | undefined): Promise<Page<ExperimentView>> {
    const page = paginate(await this.repository.page(userId, limit + 1, after), limit, ({ id }) => id);
    return { ...page, items: page.items.map((experiment) => this.viewOf(experiment)) };
  }

  /** @throws ApiError not_found, also for a malformed id and for an experiment of another user */
  async get(caller: Pick<Caller, 'userId'>, id: string): Promise<ExperimentView> {
    return this.viewOf(await this.find(caller, id));
  }

  /** The experiment itself. @throws ApiError not_found as `get` does */
  async find({ userId }: Pick<Caller, 'userId'>, id: string): Promise<ExperimentWithRunning> {
    const experiment = isId('exp', id) ? await this.repository.find(userId, id) : undefined;
    if (experiment === undefined) throw experimentNotFound();
    return experiment;
  }

  private viewOf(experiment: ExperimentWithRunning): ExperimentView {
    const { spec, running, open, maxCost, state } = experiment;
    return {
      experiment,
      command: readCommand(spec.command),
      running,
      waiting: state === CANCELED_EXPERIMENT ? 0 : Math.max(0, open - running),
      maxCharge: this.billing.chargeOf(maxCost, false),
      etaSeconds: this.etaOf(experiment),
    };
  }

  private etaOf({ state, done, failed, rowCount, createdAt, startedAt }: Experiment): number | null {
    const ended = done + failed;
    if (state !== 'running' || ended < MIN_ROWS_OF_ETA) return null;
    const seconds = (this.clock.now().getTime() - (startedAt ?? createdAt).getTime()) / 1000;
    return Math.ceil((seconds / ended) * Math.max(0, rowCount - ended));
  }
}

/** The answer about an experiment that the user does not have. */
export function experimentNotFound(): ApiError {
  return new ApiError('not_found', { message: 'No experiment with this id exists.' });
}
