import type { Eval } from '../../../client/client';
import { type LeadKind, leadOf } from '../../../client/lead';

const WORDS = { fastest: 'Fastest', cheapest: 'Cheapest' } as const;

/** The words of the badge of a leading model; undefined for the others. */
export function leadText(stored: Eval | undefined, kind: LeadKind, model: string): string | undefined {
  const lead = leadOf(stored, kind, model);
  return (
    lead && { likely: `Likely ${kind}`, unsure: `${WORDS[kind]}, maybe luck`, once: `${WORDS[kind]} this time` }[lead]
  );
}
