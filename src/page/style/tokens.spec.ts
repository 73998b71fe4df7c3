import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEXT = 4.5;
const EDGE = 3;

/** The light and the dark color of each token. */
const tokens = new Map([...readFileSync(join(__dirname, 'tokens.css'), 'utf8').matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(([, name = '', light = '', dark = '']) => [name, [light, dark] as const]));

/** Relative luminance of sRGB (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

/** Foregrounds and backgrounds, with the required contrast. */
const PAIRS: readonly (readonly [front: string, back: string, least: number])[] = [
  ...['ground', 'surface'].flatMap((back) => ['ink', 'quiet', 'accent', 'failure', 'fastest', 'cheapest', 'warning'].map((front) => [front, back, TEXT] as const)),
  ['on-accent', 'accent', TEXT],
  ['warning', 'warning-ground', TEXT], ['ink', 'warning-ground', TEXT],
  ['failure', 'failure-ground', TEXT], ['ink', 'failure-ground', TEXT],
  ['ink', 'added-ground', TEXT], ['ink', 'removed-ground', TEXT],
  ...['ground', 'surface'].flatMap((back) => [['edge', back, EDGE] as const, ['accent', back, EDGE] as const]),
  ['accent', 'warning-ground', TEXT], ['accent', 'failure-ground', TEXT],
];

describe('The colors of the page', () => {
  it('are all in the pairs of this test, but for lines that say nothing', () => {
    expect([...tokens.keys()].filter((name) => !PAIRS.flat().includes(name))).toEqual(['line']);
  });

  it.each(PAIRS)('%s on %s has at least a contrast of %d, light and dark', (front, back, least) => {
    for (const theme of [0, 1] as const) {
      const [one, other] = [tokens.get(front)?.[theme], tokens.get(back)?.[theme]];
      expect(contrast(one ?? '', other ?? '')).toBeGreaterThanOrEqual(least);
    }
  });

  it('computes the contrasts as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });
});
