import { signal } from '@preact/signals';
import { readObject, tabStore, writeText } from '../../storage';
import { parseCheckDrafts } from './check-drafts';
import { type Draft, EMPTY_FORM } from './form-content';
import { isTurn } from './turns';

const NAME = 'mcs.draft';
const WRITE_AFTER_MS = 300;

/** The form's content; it survives a reload and a lost key, and ends with the tab. */
export const draft = signal<Draft>(parseDraft(readObject(tabStore, NAME)));

let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Changes some fields. The storage follows a moment later, so that typing into a long prompt does not write all of it
 * at each key.
 */
export function setDraft(change: Partial<Draft>): void {
  draft.value = { ...draft.value, ...change };
  timer ??= setTimeout(storeDraft, WRITE_AFTER_MS);
}

/** Stores the draft at once, for when the page is about to go. */
export function storeDraft(): void {
  if (timer === undefined) return;
  clearTimeout(timer);
  timer = undefined;
  writeText(tabStore, NAME, JSON.stringify(draft.value));
}

/** Empties the form, without storing it. */
export function resetDraft(): void {
  clearTimeout(timer);
  timer = undefined;
  draft.value = EMPTY_FORM;
}

/** Reads a stored draft; a field of another form is empty. */
function parseDraft(stored: Readonly<Record<string, unknown>> = {}): Draft {
  const texts = Object.entries(EMPTY_FORM).flatMap(([name, empty]) =>
    typeof empty === 'string' && typeof stored[name] === 'string' ? [[name, stored[name]]] : [],
  );
  return {
    ...EMPTY_FORM,
    ...(Object.fromEntries(texts) as Partial<Draft>),
    checks: parseCheckDrafts(stored['checks']),
    history: Array.isArray(stored['history']) ? stored['history'].filter(isTurn) : [],
  };
}
