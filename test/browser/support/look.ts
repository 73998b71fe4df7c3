import type { Page } from 'playwright-core';
import { axeViolations } from './axe';
import { sidewaysOverflow } from './layout';
import { screenshot } from './screenshots';

const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const;

/**
 * Looks at what is on the screen in both themes, on a desk and on a phone, and keeps pictures; gives what axe finds and
 * what is too wide.
 */
export async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [theme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    const { pixels, elements } = await sidewaysOverflow(page);
    if (pixels > 0) found.push(`${name} ${width}: ${pixels} pixels too wide: ${elements.join(', ')}`);
    found.push(...(await axeViolations(page)).map((violation) => `${name} ${theme} ${width}: ${violation}`));
    await screenshot(page, `${name}-${width}-${theme}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}
