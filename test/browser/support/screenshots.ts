import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(__dirname, '../../../.local/screenshots');

/** Beyond it a picture is too small to be looked at as a whole. */
const MAX_HEIGHT = 2400;

/** Keeps a picture of the page in `.local/screenshots`, for people to look at. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const { width, height } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    height: document.documentElement.scrollHeight,
  }));
  await page.screenshot({
    path: join(FOLDER, `${name}.png`),
    fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, MAX_HEIGHT) },
    animations: 'disabled',
  });
}
