import { ASYNC_SAMPLE_LIMITS, compareWeight, refuseTooManySamples, SAMPLE_LIMITS } from './sample-limits';

describe('The limits of samples', () => {
  test.each([
    [1, 1, SAMPLE_LIMITS],
    [10, 4, SAMPLE_LIMITS],
    [5, 8, SAMPLE_LIMITS],
    [50, 4, ASYNC_SAMPLE_LIMITS],
    [25, 8, ASYNC_SAMPLE_LIMITS],
    // As many models as an operator may allow.
    [1, 500, SAMPLE_LIMITS],
    [1, 500, ASYNC_SAMPLE_LIMITS],
  ])('allow %d samples of %d models with %j', (samples, models, limits) => {
    expect(() => refuseTooManySamples(samples, models, limits)).not.toThrow();
  });

  test.each([
    [
      11,
      1,
      SAMPLE_LIMITS,
      'options.samples must be a whole number from 1 to 10; up to 50 are possible with Prefer: respond-async.',
    ],
    [
      10,
      5,
      SAMPLE_LIMITS,
      '5 models with 10 samples each are 50 model calls; options.samples may lead to 40 at most, or 200 with Prefer: respond-async.',
    ],
    [
      26,
      8,
      ASYNC_SAMPLE_LIMITS,
      '8 models with 26 samples each are 208 model calls; options.samples may lead to 200 at most.',
    ],
  ])('refuse %d samples of %d models with %j', (samples, models, limits, message) => {
    expect(() => refuseTooManySamples(samples, models, limits)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'options.samples', message }),
    );
  });

  test.each<[unknown, number]>([
    [{ options: { samples: 10 } }, 10],
    [{ options: { samples: 50 } }, 50],
    [{ options: {} }, 1],
    [{}, 1],
    [undefined, 1],
    [null, 1],
    ['text', 1],
    [[], 1],
    [{ options: { samples: 51 } }, 1],
    [{ options: { samples: 0 } }, 1],
    [{ options: { samples: 1.5 } }, 1],
    [{ options: { samples: '10' } }, 1],
    [{ options: { samples: Infinity } }, 1],
    [{ options: null }, 1],
    [{ options: 7 }, 1],
  ])('let the body %j count as %d compares', (body, weight) => {
    expect(compareWeight({ body })).toBe(weight);
  });
});
