import { effect } from '@preact/signals';
import { prefs } from './prefs';

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
