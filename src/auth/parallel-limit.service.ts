import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import type { Caller } from './caller';
import { SharedPlaces, type Place } from './shared-places.service';

/** What is counted apart. */
type Work = 'compares' | 'estimates';

/** How many compares, and how many estimates, of one key may run at the same time: in all processes where they share a store, in each of them always. */
@Injectable()
export class ParallelLimit {
  private readonly running = new Map<string, number>();

  constructor(
    private readonly config: Config,
    private readonly shared: SharedPlaces,
  ) {}

  /** Holds a place until the work has ended, even when nobody waits for it any more. @throws ApiError rate_limited before the work begins */
  async hold<T>({ keyId }: Caller, work: () => Promise<T>, kind: Work = 'compares'): Promise<T> {
    const place = await this.enter(kind === 'compares' ? keyId : `${kind}:${keyId}`, kind);
    try {
      return await work();
    } finally {
      await this.leave(place);
    }
  }

  private async enter(keyId: string, kind: Work): Promise<Place> {
    const running = this.running.get(keyId) ?? 0;
    if (running >= this.config.COMPARE_PARALLEL) throw this.tooMany(kind);
    this.running.set(keyId, running + 1);
    const place = { id: randomUUID(), keyId };
    if (await this.shared.enter(place, this.config.COMPARE_PARALLEL)) return place;
    this.leaveHere(keyId);
    throw this.tooMany(kind);
  }

  private async leave(place: Place): Promise<void> {
    this.leaveHere(place.keyId);
    await this.shared.leave(place);
  }

  private leaveHere(keyId: string): void {
    const others = (this.running.get(keyId) ?? 1) - 1;
    if (others > 0) this.running.set(keyId, others);
    else this.running.delete(keyId);
  }

  private tooMany(kind: Work): ApiError {
    return new ApiError('rate_limited', {
      message: `At most ${this.config.COMPARE_PARALLEL} ${kind} of one key may run at the same time.`,
      retryAfterSeconds: 1,
    });
  }
}
