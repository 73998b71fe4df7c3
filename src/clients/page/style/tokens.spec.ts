import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEXT = 4.5;
const EDGE = 3;

/** The light and the dark color of each token. */
const tokens = new Map(
  [
    ...readFileSync(join(__dirname, 'tokens.css'), 'utf8').matchAll(
      /--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g,
    ),
  ].map(([, name = '', light = '', dark = '']) => [name, [light, dark] as const]),
);

/** The linear parts of a color of sRGB. */
function linear(color: string): number[] {
  return [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
}

/** Relative luminance of sRGB (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

const MARKS = [1, 2, 3, 4, 5, 6, 7, 8].map((color) => `mark-${color}`);
/**
 * Least distance (Oklab) of two marks, also for full sight, where neighbors of one hue would be mistaken: 0.02 is just
 * seen side by side.
 */
const APART = { least: 0.09, fullSight: 0.16 };
/** Linear RGB as people see it who lack one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1). */
const SIGHTS = {
  'full sight': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const TO_CONES = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_OKLAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const times = (matrix: readonly (readonly number[])[], vector: readonly number[]) =>
  matrix.map((row) => row.reduce((sum, each, at) => sum + each * (vector[at] ?? 0), 0));
const seen = (color: string, sight: readonly (readonly number[])[]) =>
  times(
    TO_OKLAB,
    times(TO_CONES, times(sight, linear(color))).map((cone) => Math.cbrt(Math.max(0, cone))),
  );

/** Foregrounds and backgrounds, with the required contrast. */
const PAIRS: readonly (readonly [front: string, back: string, least: number])[] = [
  ...['ground', 'surface'].flatMap((back) =>
    ['ink', 'quiet', 'accent', 'failure', 'fastest', 'cheapest', 'warning'].map(
      (front) => [front, back, TEXT] as const,
    ),
  ),
  ['on-accent', 'accent', TEXT],
  ['warning', 'warning-ground', TEXT],
  ['ink', 'warning-ground', TEXT],
  ['failure', 'failure-ground', TEXT],
  ['ink', 'failure-ground', TEXT],
  ['ink', 'added-ground', TEXT],
  ['ink', 'removed-ground', TEXT],
  ...['ground', 'surface'].flatMap((back) => [['edge', back, EDGE] as const, ['accent', back, EDGE] as const]),
  ...MARKS.flatMap((mark) => ['ground', 'surface'].map((back) => [mark, back, EDGE] as const)),
  ...MARKS.map((mark, index) => [[1, 3, 6, 7].includes(index + 1) ? 'on-deep' : 'on-bright', mark, TEXT] as const),
  ['accent', 'warning-ground', TEXT],
  ['accent', 'failure-ground', TEXT],
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

  it.each(Object.entries(SIGHTS))('tell any two models apart, with %s', (name, sight) => {
    const least = name === 'full sight' ? APART.fullSight : APART.least;
    for (const theme of [0, 1] as const) {
      const marks = MARKS.map((mark) => seen(tokens.get(mark)?.[theme] ?? '', sight));
      const distances = marks.flatMap((one, at) =>
        marks
          .slice(0, at)
          .map(
            (other, before) =>
              [MARKS[before], MARKS[at], Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)))] as const,
          ),
      );
      expect(distances.filter(([, , distance]) => !(distance >= least))).toEqual([]);
    }
  });

  it('computes the contrasts as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  });
});
