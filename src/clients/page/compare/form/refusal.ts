import { shortAmount } from '../../../client/amount-text';
import type { CompareError } from '../../../client/client';

/** The page's answer to a refused run. */
interface RefusalText {
  kind: 'warning' | 'failure';
  /** Sentences, one a line. */
  lines: string[];
  /** True if a payment method would help. */
  wantsPayment: boolean;
}

type Refused = Pick<CompareError, 'code' | 'message' | 'status' | 'details' | 'requestId' | 'retryAfter'>;

/** Codes with special sentences. */
const TEXTS: Readonly<Record<string, (message: string, facts: Readonly<Record<string, unknown>>) => RefusalText>> = {
  payment_required: (message) => warn(true, message, 'Nothing was run or charged.'),
  spend_limit_reached: (message, facts) => warn(false, message, limitLine('your monthly limit', facts)),
  key_spend_limit_reached: (message, facts) => warn(false, message, limitLine('the monthly limit of this key', facts)),
  max_cost_exceeded: (message, facts) => warn(false, ceilingLine(facts) ?? message, 'Nothing was run or charged.'),
  insufficient_scope: (message, { required_scope: scope }) =>
    warn(
      false,
      message,
      typeof scope === 'string' ? `It needs the scope ${scope}. Ask the operator for a key that has it.` : undefined,
    ),
  all_models_failed: () => fail('Every model failed. Nothing was stored or charged.'),
  unauthorized: () => warn(false, 'The key was rejected. Nothing was run or charged.'),
  connection_failed: (message) => fail(message, MAY_HAVE_BEGUN),
  connection_lost: (message) => fail(message, MAY_HAVE_BEGUN),
  no_answer_in_time: (message) => fail(message, MAY_HAVE_BEGUN),
};
const MAY_HAVE_BEGUN =
  'The request was sent twice with the same Idempotency-Key. If the run started, it will appear in the history.';

/** Says why a run was refused before its first event, and what can be done about it. */
export function refusalText(error: Refused): RefusalText {
  const { code, status = 0 } = error;
  // The seconds count down beside it.
  const message = withFormLabels(error.message).replace(/; try again after Retry-After seconds\.$/, '.');
  const text = Object.hasOwn(TEXTS, code) ? TEXTS[code] : undefined;
  if (text !== undefined) return text(message, (error.details ?? {}) as Record<string, unknown>);
  return status >= 500 ? fail(message, ...reportLine(error)) : warn(false, message);
}

/** A sentence of the service in the words of the form, which counts its checks and turns from 1. */
export function withFormLabels(message: string): string {
  return message.replace(
    /\b(checks|options\.history)\[(\d+)\](?:\.(\w+))?/g,
    (_name, list: string, index: string, member: string | undefined) =>
      `${list === 'checks' ? 'Check' : 'Turn'} ${Number(index) + 1}${member === undefined ? '' : `: ${member}`}`,
  );
}

/** Shown above the answers of a run whose key was refused meanwhile. */
export const LACKS_KEY =
  'The key was rejected during the run. The text received so far stays here. With another key of the same user, the page looks for the result.';

/** Why the result of a run that is out of sight is not shown; without an error the service does not have it. */
export function goneText(error: Pick<CompareError, 'message'> | undefined): string {
  return error === undefined
    ? 'No result was found: the run was interrupted, every model failed, or it could not be stored. Nothing was charged.'
    : `${error.message} The page does not know if the run has ended. If it was stored, it is in the history.`;
}

function fail(...lines: string[]): RefusalText {
  return { kind: 'failure', lines, wantsPayment: false };
}

function warn(wantsPayment: boolean, ...lines: (string | undefined)[]): RefusalText {
  return { kind: 'warning', lines: lines.filter((line) => line !== undefined), wantsPayment };
}

/** Such as: "Of your monthly limit of $5, $0.20 is left and this run may need $0.35." */
function limitLine(
  limit: string,
  { limit_usd: total, left_usd: left, needed_usd: needed }: Record<string, unknown>,
): string | undefined {
  return typeof total === 'string' && typeof left === 'string' && typeof needed === 'string'
    ? `Of ${limit} of ${shortAmount(total)}, ${shortAmount(left)} is left, and this run may need ${shortAmount(needed)}.`
    : undefined;
}

function ceilingLine({ most_cost_usd: most, max_cost_usd: ceiling }: Record<string, unknown>): string | undefined {
  return typeof most === 'string' && typeof ceiling === 'string'
    ? `This run could cost ${shortAmount(most)}, which is more than your cost limit of ${shortAmount(ceiling)}.`
    : undefined;
}

/** The text for a report. */
function reportLine({ requestId }: Refused): string[] {
  return requestId !== undefined ? [`To report this, include the request id ${requestId}.`] : [];
}
