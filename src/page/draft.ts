import { signal } from '@preact/signals';
import { parseCheckDrafts, type CheckDraft } from './compare/check-drafts';
import { readObject, tabStore, writeText } from './storage';

/** The typed content of the form. */
interface Draft {
  prompt: string;
  input: string;
  temperature: string;
  maxTokens: string;
  /** Ceiling in dollars. */
  maxCostUsd: string;
  /** Calls of each model. */
  samples: string;
  checks: readonly CheckDraft[];
}

const NAME = 'mcs.draft';
const WRITE_AFTER_MS = 300;
/** The first visit's. */
const EMPTY_DRAFT: Draft = { prompt: '', input: '', temperature: '', maxTokens: '', maxCostUsd: '', samples: '', checks: [] };

/** The form's content; it survives a reload and a lost key, and ends with the tab. */
export const draft = signal<Draft>(parseDraft(readObject(tabStore, NAME)));

let timer: ReturnType<typeof setTimeout> | undefined;

/** Changes some fields. The storage follows a moment later, so that typing into a long prompt does not write all of it at each key. */
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
  draft.value = EMPTY_DRAFT;
}

/** Reads a stored draft; a field of another form is empty. */
function parseDraft(stored: Readonly<Record<string, unknown>> = {}): Draft {
  const textOf = (name: keyof Draft): string => (typeof stored[name] === 'string' ? stored[name] : '');
  return {
    prompt: textOf('prompt'), input: textOf('input'), temperature: textOf('temperature'), maxTokens: textOf('maxTokens'), maxCostUsd: textOf('maxCostUsd'),
    samples: textOf('samples'), checks: parseCheckDrafts(stored['checks']),
  };
}
