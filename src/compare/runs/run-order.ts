import { plainToInstance } from 'class-transformer';
import { CompareRequest } from '../compare.dto';
import type { CompareCommand } from '../compare.types';
import { ASYNC_SAMPLE_LIMITS } from '../sample-limits';
import type { RunOrder } from './run.types';

/** The stored part of a request until it runs: its raw members, so that a later release understands them. */
export function orderOf(request: CompareRequest, rerunOf?: string): RunOrder {
  return { request: { ...request }, ...(rerunOf !== undefined && { rerunOf }) };
}

/** The command of a run. Without its Idempotency-Key, which stands for its eval since it was queued. */
export function commandOf({ request, rerunOf }: RunOrder): CompareCommand {
  return { ...plainToInstance(CompareRequest, request).toCommand(undefined, ASYNC_SAMPLE_LIMITS), rerunOf };
}
