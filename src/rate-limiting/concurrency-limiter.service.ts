import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { ApiError } from '../common/errors';
import { DistributedSemaphoreService, type Lease } from './distributed-semaphore.service';

/** The kinds of work that are limited separately. */
type Work = 'compares' | 'estimates' | 'checks';

/** How many compares, how many estimates, and how many checks of texts, of one key may run at the same time: in all processes where they share a store, in each of them always. */
@Injectable()
export class ConcurrencyLimiterService {
  private readonly running = new Map<string, number>();

  constructor(
    private readonly config: Config,
    private readonly shared: DistributedSemaphoreService,
  ) {}

  /** Takes a slot of the key, until it is disposed of. The work goes on without its caller, and so does its slot. @throws ApiError rate_limited */
  async acquire(keyId: string, kind: Work = 'compares'): Promise<AsyncDisposable> {
    const id = kind === 'compares' ? keyId : `${kind}:${keyId}`;
    const running = this.running.get(id) ?? 0;
    if (running >= this.config.MAX_CONCURRENT_COMPARES_PER_KEY) throw this.tooMany(kind);
    this.running.set(id, running + 1);
    const lease = { id: randomUUID(), keyId: id };
    if (await this.shared.acquire(lease, this.config.MAX_CONCURRENT_COMPARES_PER_KEY)) return { [Symbol.asyncDispose]: () => this.release(lease) };
    this.releaseLocal(id);
    throw this.tooMany(kind);
  }

  private async release(lease: Lease): Promise<void> {
    this.releaseLocal(lease.keyId);
    await this.shared.release(lease);
  }

  private releaseLocal(keyId: string): void {
    const others = (this.running.get(keyId) ?? 1) - 1;
    if (others > 0) this.running.set(keyId, others);
    else this.running.delete(keyId);
  }

  private tooMany(kind: Work): ApiError {
    return new ApiError('rate_limited', {
      message: `At most ${this.config.MAX_CONCURRENT_COMPARES_PER_KEY} ${kind} of one key may run at the same time.`,
      retryAfterSeconds: 1,
    });
  }
}
