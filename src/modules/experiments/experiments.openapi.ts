import type { BodyExamples } from '../../platform/http/api-body.decorator';

/** The parameter of the path of an experiment. */
export const EXPERIMENT_ID = {
  name: 'id',
  description: 'The `experiment_id` returned by POST /experiments or GET /experiments.',
};

const CAPITALS = {
  dataset: 'ds_01k9z3t5v7x9b1d3f5h7k9m1n3',
  prompt: 'What is the capital of {input}?',
  models: ['sim-swift', 'sim-quill'],
};
const CHECKS = [{ type: 'contains', values: ['{expected}'] }];

/** Example bodies of POST /experiments. */
export const EXPERIMENT_EXAMPLES: BodyExamples = [
  ['Two models', { ...CAPITALS, max_cost_usd: 1 }],
  [
    'The first 100 rows, three samples each, and what a good answer is',
    { ...CAPITALS, name: 'Capitals', limit: 100, options: { samples: 3 }, checks: CHECKS, max_cost_usd: 5 },
  ],
  [
    'A judge of the answers of an experiment that has ended',
    {
      judge: {
        of: 'exp_01k9z3t5v7x9b1d3f5h7k9m1n3',
        kind: 'pairwise',
        models: ['sim-sage'],
        criterion: 'The better answer is right, and says so in one word.',
      },
      max_cost_usd: 1,
    },
  ],
];

/** Example bodies of POST /experiments/estimate. */
export const ESTIMATE_EXPERIMENT_EXAMPLES: BodyExamples = [
  ['Without a cap', CAPITALS],
  ['With a cap', { ...CAPITALS, max_cost_usd: 1 }],
];

/** Example bodies of PUT /experiments/{id}/decision. */
export const DECISION_EXAMPLES: BodyExamples = [
  ['None of the models', { model: 'none' }],
  ['A model with the reason', { model: 'sim-swift', reason: 'It passes as many and costs less.', tolerance: 0.05 }],
];

/** Example bodies of PATCH /experiments/{id}. */
export const CHANGE_EXPERIMENT_EXAMPLES: BodyExamples = [
  ['A higher cap', { max_cost_usd: 10 }],
  ['Ask again where models gave no answer', { retry: 'missing' }],
];
