import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { endOnce } from '../../support/cleanup';

const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const PROGRAM = [process.env['CHROMIUM_PATH'] ?? '', ...USUAL_PATHS].find((path) => path !== '' && existsSync(path));

/**
 * `describe` where there is a Chromium (`CHROMIUM_PATH`, or in the usual folders); elsewhere the suite is skipped, and
 * the last lines of the run say why.
 */
export function describeInBrowser(name: string, suite: () => void): void {
  if (PROGRAM === undefined) describe.skip(`${name} (needs Chromium)`, suite);
  else describe(name, suite);
}

let launched: Promise<Browser> | undefined;

/** The browser of the test file; ends with it. */
export function browser(): Promise<Browser> {
  return (launched ??= (async () => {
    // Root has no sandbox in Chromium; everybody else keeps it.
    const started = await chromium.launch({ executablePath: PROGRAM, chromiumSandbox: process.getuid?.() !== 0 });
    endOnce(() => started.close());
    return started;
  })());
}
