import type { BodyExamples } from '../../platform/http/api-body.decorator';

const subject = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';

/** The first example is rejected, so that an eval is not shared by accident. */
export const CREATE_SHARE_EXAMPLES: BodyExamples = [
  ['Template; put in the id of your eval', { subject }],
  ['For a week, without prompt and costs', { subject, expires_in_days: 7, redact: ['prompt', 'costs'] }],
  [
    'Blind: without the names of the models, and without costs, which give them away',
    { subject, redact: ['models', 'costs'] },
  ],
];
