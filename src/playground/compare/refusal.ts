import type { CompareError } from '../../client/client';
import { shortAmount } from '../../client/amount-text';

/** What a refused run is answered with on the page. */
export interface RefusalText {
  kind: 'warning' | 'failure';
  /** Sentences, one a line. */
  lines: string[];
  /** Whether a payment method would help. */
  wantsPayment: boolean;
}

type Refused = Pick<CompareError, 'code' | 'message' | 'status' | 'details' | 'requestId' | 'retryAfter'>;

/** Says why a run was refused before its first event, and what can be done about it. */
export function refusalText(error: Refused): RefusalText {
  const { code, message, status } = error;
  const facts = (error.details ?? {}) as Record<string, unknown>;
  switch (code) {
    case 'payment_required': return warn(true, message, 'Nothing was run or charged.');
    case 'spend_limit_reached': return warn(false, message, limitLine('your monthly limit', facts));
    case 'key_spend_limit_reached': return warn(false, message, limitLine('the monthly limit of this key', facts));
    case 'max_cost_exceeded': return warn(false, ceilingLine(facts) ?? message, 'Nothing was run or charged.');
    case 'insufficient_scope': return warn(false, message, typeof facts['required_scope'] === 'string' ? `It needs the scope ${facts['required_scope']}. Ask the operator for a key that has it.` : undefined);
    case 'all_models_failed': return { kind: 'failure', lines: ['Every model failed. Nothing was stored or charged.'], wantsPayment: false };
    case 'connection_failed': case 'connection_lost': case 'no_answer_in_time':
      return { kind: 'failure', lines: [message, 'It was tried twice under the same name. If the run began all the same, the history will have it.'], wantsPayment: false };
    default: return { kind: status !== undefined && status >= 500 ? 'failure' : 'warning', lines: [message, ...reportLine(error)], wantsPayment: false };
  }
}

/** Why a payment method cannot be left here. */
export function paymentRefusal({ code, message }: Pick<CompareError, 'code' | 'message'>): string {
  return code === 'payment_provider_not_configured' ? 'The operator of this service records payment methods; ask them.' : message;
}

function warn(wantsPayment: boolean, ...lines: (string | undefined)[]): RefusalText {
  return { kind: 'warning', lines: lines.filter((line) => line !== undefined), wantsPayment };
}

/** Such as: "Of your monthly limit of $5, $0.20 is left and this run may need $0.35." */
function limitLine(limit: string, { limit_usd: total, left_usd: left, needed_usd: needed }: Record<string, unknown>): string | undefined {
  return typeof total === 'string' && typeof left === 'string' && typeof needed === 'string'
    ? `Of ${limit} of ${shortAmount(total)}, ${shortAmount(left)} is left, and this run may need ${shortAmount(needed)}.`
    : undefined;
}

function ceilingLine({ most_cost_usd: most, max_cost_usd: ceiling }: Record<string, unknown>): string | undefined {
  return typeof most === 'string' && typeof ceiling === 'string' ? `This run could cost ${shortAmount(most)}, which is more than your ceiling of ${shortAmount(ceiling)}.` : undefined;
}

/** What to say when it is reported; only for faults of the service. */
function reportLine({ status, requestId }: Refused): string[] {
  return requestId !== undefined && status !== undefined && status >= 500 ? [`When you report this, name the request ${requestId}.`] : [];
}
