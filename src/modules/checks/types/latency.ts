import { choice, wholeNumber } from '../../../platform/http/validation/field-kinds';
import type { CheckFields, CheckType } from '../check-type';

export interface LatencyCheck extends CheckFields {
  type: 'latency';
  max_ms: number;
  of: 'total' | 'first_token';
}

const MAX_MS = 3_600_000;

export const LATENCY: CheckType<LatencyCheck> = {
  schema: { name: 'LatencyCheck', description: 'Passes when the answer was no slower.' },
  fields: {
    max_ms: { kind: wholeNumber(0, MAX_MS), description: 'Milliseconds.', example: 2000 },
    of: {
      kind: choice(['total', 'first_token']),
      default: 'total',
      description: 'Of the whole answer, or of its first token.',
    },
  },
  charactersRead: () => 0,
  decide({ max_ms: maxMs, of }, { latencyMs, firstTokenMs }) {
    const ms = of === 'total' ? latencyMs : firstTokenMs;
    if (ms === null) return { undecided: 'There was no first token.' };
    if (ms === undefined) return { undecided: 'The latency of this text was not measured.' };
    return { isMet: ms <= maxMs, observed: of === 'total' ? `It took ${ms} ms.` : `Its first token took ${ms} ms.` };
  },
};
