import { effect, signal } from '@preact/signals';
import { browserStore, readObject, writeText } from './storage';

export const THEMES = ['system', 'light', 'dark'] as const;
/** Colors of the page; `system` follows the device. */
export type Theme = (typeof THEMES)[number];

/** The preferences that the browser keeps between visits; never a prompt or an answer. */
interface Prefs {
  theme: Theme;
  /** True if answers are shown formatted, false for plain text. */
  formatted: boolean;
  /** True if columns are narrow, with fewer figures. */
  compact: boolean;
  /** True if names and figures are hidden until the better answer is chosen. */
  blind: boolean;
  /** True if single keys such as `p` act outside of fields (WCAG 2.1.4 wants a way to switch them off). */
  singleKeys: boolean;
  /** Ids of the chosen models; undefined before the first choice. */
  models: readonly string[] | undefined;
}

const NAME = 'mcs.prefs';
const MAX_MODELS = 100;
const MAX_ID_CHARACTERS = 200;
/** The first visit's. */
export const DEFAULT_PREFS: Prefs = {
  theme: 'system',
  formatted: true,
  compact: false,
  blind: false,
  singleKeys: true,
  models: undefined,
};

/** The preferences in use. */
export const prefs = signal<Prefs>(parsePrefs(readObject(browserStore, NAME)));

/** Changes some preferences and stores them all. */
export function setPrefs(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change };
  const { models, ...rest } = prefs.value;
  writeText(browserStore, NAME, JSON.stringify({ ...rest, ...(models !== undefined && { models }) }));
}

/** Back to the first visit's, without storing them. */
export function resetPrefs(): void {
  prefs.value = DEFAULT_PREFS;
}

/** Reads stored preferences; invalid ones take their defaults. */
export function parsePrefs(stored: Readonly<Record<string, unknown>> = {}): Prefs {
  const { theme, formatted, compact, blind, singleKeys, models } = stored;
  return {
    theme: THEMES.find((each) => each === theme) ?? DEFAULT_PREFS.theme,
    formatted: typeof formatted === 'boolean' ? formatted : DEFAULT_PREFS.formatted,
    compact: compact === true,
    blind: blind === true,
    singleKeys: typeof singleKeys === 'boolean' ? singleKeys : DEFAULT_PREFS.singleKeys,
    models: isListOfIds(models) ? models : undefined,
  };
}

function isListOfIds(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_MODELS &&
    value.every((id) => typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS)
  );
}

/**
 * Keeps the page in the chosen theme. The colors are the style sheet's, by `light-dark()`; this only says which of the
 * two holds.
 */
export function followTheme(): void {
  effect(() => {
    const { theme } = prefs.value;
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  });
}
