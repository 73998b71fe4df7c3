import { Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../auth/auth.decorators';
import { ConcurrencyLimiterService } from '../rate-limiting/concurrency-limiter.service';
import { CompareService } from './compare.service';
import type { CompareCommand, CompareOutcome, OnRunEvent } from './compare.types';
import { PromptLogService } from './prompt-log.service';

/** Compares that a caller waits for, with a limit of concurrent compares for each key. */
@Injectable()
export class LimitedCompareService {
  constructor(
    private readonly compare: CompareService,
    private readonly concurrency: ConcurrencyLimiterService,
    private readonly promptLog: PromptLogService,
  ) {}

  /** @throws ApiError rate_limited, and what `CompareService.run` throws */
  async run(request: AuthenticatedRequest, command: CompareCommand, onEvent?: OnRunEvent): Promise<CompareOutcome> {
    return this.concurrency.run(request.caller.keyId, async () => {
      const outcome = await this.compare.run(request.caller, command, onEvent);
      this.promptLog.log(outcome, request);
      return outcome;
    });
  }
}
