import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { AuthenticationError, CompareError, type KeyInUse, ModelComparison, type Scope } from '../client/client';
import { resetDraft } from './compare/form/draft';
import { parsePastedKey } from './key-text';
import { resetPrefs } from './prefs';
import { browserStore, emptyStore, readText, tabStore, writeText } from './storage';

/** The state of the page's key. */
type SessionState =
  | {
      kind: 'signed-out';
      problem?: string | undefined;
      /** True if the tab still holds a possibly valid key. */ mayResume?: boolean;
      before?: KeyInUse | undefined;
    }
  /** The service is being asked about the key that a reload left in this tab, or about a pasted one. */
  | {
      kind: 'resuming' | 'checking';
      /** The key that was refused in the middle of its work: its screen stays. */ before?: KeyInUse | undefined;
    }
  | { kind: 'signed-in'; key: KeyInUse };

const NAME = 'mcs.key';
const NOT_VALID = 'This key does not exist, was revoked or has expired.';
const OPERATORS = 'This key works only for /api/v1/admin. This page needs the key of a user.';
const KEPT =
  'The link carries a key, which was not used: this tab has a key already. To use another one, forget the key first (in the menu).';
const NO_LINK_KEY = 'The key in this link is not complete. Ask for the link again, or paste the key.';
const OTHER_FORM = 'This is not a key of this service: its keys begin with “mcs_” and have 40 characters.';

const state = signal<SessionState>({ kind: 'signed-out' });
let currentKey: string | undefined;
let currentClient: ModelComparison | undefined;

/** The state of the page's key. */
export const session: ReadonlySignal<SessionState> = state;
/** The key in use with its scopes and limits, also after it was refused; undefined before it was checked. */
export const keyInUse = computed<KeyInUse | undefined>(() =>
  state.value.kind === 'signed-in' ? state.value.key : state.value.before,
);

/**
 * The client with the key in use, for every call of the page. Repeats nothing by itself. After an answer 401 to any
 * call the page asks for another key.
 */
export function client(): ModelComparison {
  if (currentClient !== undefined) return currentClient;
  if (keyInUse.peek() === undefined) throw new Error('There is no key in use.');
  return refusingClient();
}

/** Replaces the client of a key that was refused, so that nothing more is sent with it. */
function refusingClient(): ModelComparison {
  return new ModelComparison({
    baseUrl: '',
    apiKey: null,
    maxRetries: 0,
    fetch: () => Promise.reject(new AuthenticationError(NOT_VALID, { code: 'unauthorized', status: 401 })),
  });
}

/** A client without any key, for what is open to everybody. */
export function publicClient(): ModelComparison {
  return new ModelComparison({ baseUrl: '', apiKey: null, maxRetries: 0 });
}

/** True if the key in use has that scope. */
export function hasScope(scope: Scope): boolean {
  return keyInUse.value?.scopes.includes(scope) ?? false;
}

/** Takes up the key that a reload left in this tab. */
export async function resumeSession(): Promise<void> {
  const key = readText(tabStore, NAME);
  if (key === undefined) return;
  state.value = { kind: 'resuming' };
  await check(key);
}

/**
 * Signs in with the key of a link, unless this tab has another key that may be good: a link of somebody else must not
 * replace it.
 * Resolves to the sentence to show about it.
 */
export async function signInByLink(text: string): Promise<string | undefined> {
  const read = parsePastedKey(text);
  if (keyInUse.peek() === undefined) await resumeSession();
  if (readText(tabStore, NAME) !== undefined || state.peek().kind === 'signed-in')
    return read.kind === 'user' && read.key === currentKey ? undefined : KEPT;
  const before = keyInUse.peek();
  if (read.kind !== 'user') {
    state.value = { kind: 'signed-out', problem: NO_LINK_KEY, before };
    return undefined;
  }
  state.value = { kind: 'resuming', before };
  await check(read.key);
  const signedIn = state.peek();
  return signedIn.kind === 'signed-in'
    ? `The link signed you in as ${signedIn.key.email}. What you run belongs to that user.`
    : undefined;
}

/** Checks a pasted key with the service and uses it from then on. The session's state has the error. */
export async function useKey(pasted: string): Promise<void> {
  const read = parsePastedKey(pasted);
  const checking: SessionState = { kind: 'checking', before: keyInUse.peek() };
  state.value = checking;
  if (read.kind === 'user') return await check(read.key);
  const isOperator = read.kind === 'other' && (await isOperators(read.key));
  // Another key may have been entered meanwhile.
  if (state.peek() === checking) endWith(isOperator ? OPERATORS : OTHER_FORM);
}

/** Asks again what is left of the limits of the key in use; they change with every run. */
export async function refreshKey(): Promise<void> {
  const asked = currentClient;
  if (asked === undefined) return;
  try {
    const key = await asked.key();
    if (asked === currentClient) state.value = { kind: 'signed-in', key };
  } catch {
    // The last known limits stay on the screen; 401 was handled on its way.
  }
}

/** Ends the session and removes all that the browser keeps of it, the form and the preferences too. */
export function forgetKey(): void {
  batch(() => {
    endWith(undefined);
    resetDraft();
    resetPrefs();
  });
  emptyStore(tabStore);
  emptyStore(browserStore);
}

async function check(key: string): Promise<void> {
  currentKey = key;
  const asked = (currentClient = clientOf(key));
  try {
    const answer = await asked.key();
    if (asked !== currentClient) return;
    writeText(tabStore, NAME, key);
    const before = keyInUse.peek();
    // Another user's screen goes first.
    if (before !== undefined && before.email !== answer.email) state.value = { kind: 'signed-out' };
    state.value = { kind: 'signed-in', key: answer };
  } catch (error) {
    // A key that may be good stays in the tab, for a reload when the service is back.
    if (asked === currentClient)
      state.value = {
        kind: 'signed-out',
        problem: sentenceOf(error),
        mayResume: readText(tabStore, NAME) !== undefined,
        before: keyInUse.peek(),
      };
  }
}

function clientOf(apiKey: string): ModelComparison {
  return new ModelComparison({
    baseUrl: '',
    apiKey,
    maxRetries: 0,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (apiKey !== currentKey) return response;
      if (response.status === 401) endWith(NOT_VALID);
      // The operator may have taken a scope or a model from the key.
      if (response.status === 403) void refreshKey();
      return response;
    },
  });
}

/** Without a key; what was typed stays, and after a problem the screen too. */
function endWith(problem: string | undefined): void {
  currentKey = currentClient = undefined;
  writeText(tabStore, NAME, undefined);
  state.value = { kind: 'signed-out', problem, before: problem === undefined ? undefined : keyInUse.peek() };
}

async function isOperators(apiKey: string): Promise<boolean> {
  try {
    await new ModelComparison({ baseUrl: '', apiKey, maxRetries: 0 }).admin.listUsers({ limit: 1 });
    return true;
  } catch {
    return false;
  }
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof CompareError)) throw error;
  return error.retryAfter === undefined ? error.message : `${error.message} Try again in ${error.retryAfter} s.`;
}
