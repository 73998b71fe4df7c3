import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { Config } from '../common/config';
import { ApiError } from '../common/errors';
import type { AuthenticatedRequest } from './auth.decorators';

/** How many requests of one key may run at the same time; stands on the routes where one costs much. */
@Injectable()
export class ParallelLimit implements NestInterceptor {
  private readonly running = new Map<string, number>();

  constructor(private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const keyId = context.switchToHttp().getRequest<AuthenticatedRequest>().caller?.keyId ?? '';
    const running = this.running.get(keyId) ?? 0;
    if (running >= this.config.COMPARE_PARALLEL) {
      throw new ApiError('rate_limited', {
        message: `At most ${this.config.COMPARE_PARALLEL} compares of one key may run at the same time.`,
        retryAfterSeconds: 1,
      });
    }
    this.running.set(keyId, running + 1);
    return next.handle().pipe(finalize(() => this.leave(keyId)));
  }

  private leave(keyId: string): void {
    const others = (this.running.get(keyId) ?? 1) - 1;
    if (others > 0) this.running.set(keyId, others);
    else this.running.delete(keyId);
  }
}
