import type { BilledUsage } from '../billing/token-usage';
import type { ResultWarning } from '../evals/result.entity';
import type { PricedModel } from '../models/models.service';
import type { Answered, Failed } from '../providers/model-call.service';
import type { ProviderError } from '../providers/provider.error';
import { adaptParameters, type AppliedParameters, type CompareSettings } from './adapt-parameters';

/** A successful call with the token counts it is billed by. */
export interface BillableCall extends Answered {
  usage: BilledUsage;
}

/** How the call of one model ended, and the parameters that were sent. */
export interface ModelOutcome {
  priced: PricedModel;
  outcome: BillableCall | Failed;
  applied: AppliedParameters;
  warnings: ResultWarning[];
  /** The model that answered instead of the requested one, as the vendor names it. */
  substitute?: string;
}

/** The outcome of a call that is not made. */
export function uncalled(priced: PricedModel, options: CompareSettings, failure: ProviderError): ModelOutcome {
  return {
    priced,
    outcome: { failure, attempts: 0, latencyMs: 0, totalMs: 0 },
    applied: adaptParameters(options, priced.model, priced.arm),
    warnings: [],
  };
}
