import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { EvalsService } from '../evals/evals.service';
import { RequestValidationPipe } from '../http/validation/request-validation.pipe';
import { CompareRequest } from './compare.dto';
import { requestOf } from './rerun-request';
import { refuseChanges, RerunRequest } from './rerun.dto';

/** Makes a request of a stored eval, to run it again. */
@Injectable()
export class RerunService {
  private readonly pipe = new RequestValidationPipe();

  constructor(private readonly evals: EvalsService) {}

  /** The request that repeats the caller's eval, at the price that the body allows, validated like any request: limits can be lower by now. @throws ApiError not_found, invalid_request */
  async request(caller: Caller, id: string, body: unknown): Promise<CompareRequest> {
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) refuseChanges(body);
    const { options } = await this.pipe.transform(body ?? undefined, { type: 'body', metatype: RerunRequest }) as RerunRequest;
    const request = requestOf(await this.evals.get(caller, id), options?.max_cost_usd);
    return await this.pipe.transform(request, { type: 'body', metatype: CompareRequest }) as CompareRequest;
  }
}
