import { CHOICES, progressText } from './votes';

describe('The keys of a vote', () => {
  it.each([
    ['pairwise', { 1: '1', 2: '2', 0: 'tie', x: 'none', s: undefined }],
    ['rubric', { 1: 'yes', 2: 'no', s: undefined }],
  ] as const)('of %s are %j', (kind, keys) =>
    expect(Object.fromEntries(CHOICES[kind].map(([key, winner]) => [key, winner]))).toEqual(keys),
  );
});

it.each([
  [0, '12 of 1,600'],
  [2, '12 of 1,600, 2 skipped'],
])('says how far somebody is who skipped %s', (skipped, text) =>
  expect(progressText({ progress: { voted: 12, items: 1600 }, skipped })).toBe(text),
);
