import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../common/errors';
import { SingleFlight } from '../../common/single-flight';
import { ComparisonsService } from '../analysis/comparisons.service';
import { EvalStatisticsService } from '../analysis/eval-statistics.service';
import { EvalsService } from '../evals/evals.service';
import { ReportsService } from '../experiments/report/reports.service';
import { hideModelNames } from './blind';
import { SharedExperimentDto } from './shared-experiment.dto';
import { SharedEvalDto } from './shared-eval.dto';
import type { ViewedShare } from './shares.repository';
import { SharesService } from './shares.service';

/** Characters of answers that are remembered, all together. */
const MAX_REMEMBERED_CHARACTERS = 8_388_608;
const TTL_MS = 60_000;

/** Shows shared evals and experiments to everyone with the link. */
@Injectable()
export class SharedEvalsService {
  /**
   * By the id of the share. Nothing of a shared eval changes, so a link that many people open is computed once; whether
   * it still shows anything is asked every time.
   */
  private readonly answers = new LRUCache<string, string>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: ({ length }) => length,
    ttl: TTL_MS,
    ttlAutopurge: true,
  });
  // Not LRUCache.fetch: an entry that is evicted there fails the requests that wait for it.
  private readonly computations = new SingleFlight<string | undefined>();

  constructor(
    private readonly shares: SharesService,
    private readonly evals: EvalsService,
    private readonly statistics: EvalStatisticsService,
    private readonly comparisons: ComparisonsService,
    private readonly reports: ReportsService,
  ) {}

  /**
   * The shared eval or experiment as the JSON text of the answer; adds `views` views. @throws ApiError not_found, with the same
   * sentence for every problem of the link
   */
  async view(token: string, views: 0 | 1): Promise<string> {
    const share = await this.shares.view(token, views);
    const answer = share && (this.answers.get(share.id) ?? (await this.compute(share)));
    if (answer === undefined) throw linkShowsNothing();
    return answer;
  }

  private async compute(share: ViewedShare): Promise<string | undefined> {
    return this.computations.run(
      share.id,
      () => this.present(share),
      // The decision after an experiment may change.
      (answer) => share.experimentId === null && void this.answers.set(share.id, answer),
    );
  }

  private async present(share: ViewedShare): Promise<string | undefined> {
    // Viewers do not take the turns of the share's owner.
    const viewers = `viewers of share ${share.id}`;
    if (share.experimentId !== null) {
      const terms = { withTexts: share.redact.length === 0, viewers };
      const parts = await this.reports.sharedPartsOf(share, share.experimentId, terms);
      return parts && JSON.stringify(SharedExperimentDto.from(parts, share));
    }
    const { evalId } = share;
    return this.comparisons.inTurn(viewers, async () => {
      const stored = evalId === null ? undefined : await this.evals.find(share, evalId);
      if (stored === undefined) return undefined;
      const shown = share.redact.includes('models') ? hideModelNames(stored, share.seed) : stored;
      return JSON.stringify(
        SharedEvalDto.from({ stored: shown, ...(await this.statistics.both(viewers, shown)) }, share),
      );
    });
  }
}

/** The same answer for every problem of a link. */
export function linkShowsNothing(): ApiError {
  return new ApiError('not_found', { message: 'This link shows nothing: it has ended, or it never existed.' });
}
