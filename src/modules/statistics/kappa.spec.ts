import { cohensKappa } from './kappa';

describe("Cohen's kappa", () => {
  it.each([
    [
      [
        [20, 5],
        [10, 15],
      ],
      0.4,
    ],
    [
      [
        [8, 1, 1],
        [2, 6, 2],
        [0, 1, 9],
      ],
      0.65,
    ],
    [
      [
        [5, 0],
        [0, 5],
      ],
      1,
    ],
    [
      [
        [0, 5],
        [5, 0],
      ],
      -1,
    ],
    [
      [
        [25, 25],
        [25, 25],
      ],
      0,
    ],
  ])('of %j is %d', (counts, kappa) => {
    expect(cohensKappa(counts)).toBeCloseTo(kappa, 9);
  });

  it.each([
    [
      [
        [5, 0],
        [0, 0],
      ],
    ],
    [
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [[]],
  ])('of %j does not exist', (counts) => {
    expect(cohensKappa(counts)).toBeNull();
  });
});
