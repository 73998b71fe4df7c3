import type { CheckedAnswer, Finding } from './check-type';
import { typeOf, type Check } from './types';

export function isInline(check: Check, text: string): boolean {
  return typeOf(check).isInline?.(check, text) ?? true;
}

/** The characters that an inline check reads. */
export function charactersRead(check: Check, text: string): number {
  return typeOf(check).charactersRead?.(check, text) ?? text.length;
}

/** The finding of an inline check in an answer. */
export function decideInline(check: Check, answer: CheckedAnswer): Finding {
  const finding = typeOf(check).decide?.(check, answer);
  if (finding === undefined) throw new Error(`A check of type ${check.type} needs a thread.`);
  return finding;
}
