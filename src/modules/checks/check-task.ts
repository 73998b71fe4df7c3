import type { Finding } from './check-type';
import { isInline } from './inline-checks';
import type { Check } from './types';

export type CheckTask =
  { kind: 'start' } | { kind: 'try'; check: Check } | { kind: 'decide'; check: Check; text: string };

/** Its answer: the problem of the check (the rest of a sentence that begins with its path), or its finding. */
export type ThreadAnswer = { problem?: string } | Finding;

/** True if its time grows with the length of the text only, so that it needs no deadline. */
export function isBoundedTask(task: CheckTask): boolean {
  return task.kind === 'decide' && isInline(task.check, task.text);
}
