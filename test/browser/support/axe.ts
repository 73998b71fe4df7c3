import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The part of axe-core that is used in the page. */
interface Axe {
  run(
    context: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] }[] }>;
}

/**
 * The violations that axe finds on the current page, one line for each element. `within` and `without` are selectors.
 */
export async function axeViolations(
  page: Page,
  { within = [], without = [] }: { within?: string[]; without?: string[] } = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(
    ([context, options]) => (window as unknown as { axe: Axe }).axe.run(context, options),
    [
      { ...(within.length > 0 && { include: within }), exclude: without },
      { runOnly: RULES, resultTypes: ['violations'], preload: false },
    ] as const,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) =>
        `${id}: ${help}: ${target.join(' ')} ${failureSummary.split('\n').slice(1, 2).join('').trim()}`,
    ),
  );
}
