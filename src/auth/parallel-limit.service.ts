import { Injectable } from '@nestjs/common';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import type { Caller } from './caller';

/** How many compares of one key may run at the same time. */
@Injectable()
export class ParallelLimit {
  private readonly running = new Map<string, number>();

  constructor(private readonly config: Config) {}

  /** Holds a place until the work has ended, even when nobody waits for it any more. @throws ApiError rate_limited before the work begins */
  async hold<T>({ keyId }: Caller, work: () => Promise<T>): Promise<T> {
    this.enter(keyId);
    try {
      return await work();
    } finally {
      this.leave(keyId);
    }
  }

  private enter(keyId: string): void {
    const running = this.running.get(keyId) ?? 0;
    if (running >= this.config.COMPARE_PARALLEL) {
      throw new ApiError('rate_limited', {
        message: `At most ${this.config.COMPARE_PARALLEL} compares of one key may run at the same time.`,
        retryAfterSeconds: 1,
      });
    }
    this.running.set(keyId, running + 1);
  }

  private leave(keyId: string): void {
    const others = (this.running.get(keyId) ?? 1) - 1;
    if (others > 0) this.running.set(keyId, others);
    else this.running.delete(keyId);
  }
}
