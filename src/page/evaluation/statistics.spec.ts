import { intervalScale, statisticsOf } from './statistics';

const MODEL = {
  model: 'a', answered: 9, failed: 1,
  latency_ms: { p50: 408.5, p50_ci: [397, 951], p90: 976.9, p90_ci: null, min: 388, max: 1210 }, ttft_ms: { p50: 120, p50_ci: [101, 160] },
  cost_usd: { total: '0.0002', mean: '0.00002', min: '0.00002', max: '0.00002', stddev: '0', mean_without_cache: '0.000021' },
  output_tokens: { mean: 41, min: 24, max: 63 }, checks: { passed: 9, of: 10, rate: 0.9, ci: [0.59585, 0.982124] }, agreement: { distinct: 3, modal_share: 0.8, mean_similarity: 0.93 },
};

describe('statisticsOf', () => {
  it('reads every figure with its interval', () => {
    const read = statisticsOf({ statistics: { samples: 10, models: [MODEL], fastest: { model: 'a', confident: true, p_value: 0.00195313, because: 'w' }, cheapest: null } });
    expect(read).toEqual({
      samples: 10, because: ['w'],
      models: [{
        model: 'a', answered: 9, failed: 1, latency: { value: 408.5, interval: [397, 951] }, latencyP90: { value: 976.9, interval: undefined }, firstText: { value: 120, interval: [101, 160] },
        meanCost: '0.00002', meanCostWithoutCache: '0.000021', meanOutputTokens: 41, checks: { passed: 9, of: 10, rate: { value: 0.9, interval: [0.59585, 0.982124] } },
        agreement: { distinct: 3, modalShare: 0.8 },
      }],
    });
  });

  it('shows what a newer or older service leaves out as not known', () => {
    expect(statisticsOf({ statistics: { models: [{ model: 'a' }] } })).toMatchObject({ samples: 1, models: [{ latency: { value: undefined, interval: undefined }, meanCost: undefined, checks: undefined, agreement: undefined }] });
    expect(statisticsOf({ statistics: { models: [{ ...MODEL, latency_ms: null, checks: null }] } })?.models[0]).toMatchObject({ latency: { value: undefined }, checks: undefined });
  });

  it.each([undefined, {}, { statistics: null }, { statistics: { models: 'x' } }])('finds none in %j', (stored) => expect(statisticsOf(stored)).toBeUndefined());
});

describe('intervalScale', () => {
  it('reaches to the farthest end', () => expect(intervalScale([{ value: 4, interval: [1, 9] }, { value: 12, interval: undefined }, { value: undefined, interval: undefined }])).toBe(12));
  it('reaches to the end of an interval', () => expect(intervalScale([{ value: 4, interval: [1, 9] }])).toBe(9));
});
