import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { ErrorCode } from '../../common/errors';
import { EvalDto } from '../analysis/eval.dto';
import { ApiBodyExamples, type BodyExamples } from '../../platform/http/api-body.decorator';
import { ApiResponses } from '../../platform/http/api-responses.decorator';
import { headersOf, type ResponseHeader } from '../../platform/http/openapi/response-headers';
import { AllModelsFailedDto } from './all-models-failed.dto';
import { CompareRequest } from './compare.dto';
import { RerunRequest } from './rerun.dto';
import { AcceptedRunDto } from '../runs/runs.dto';
import { CompareEventDto } from './stream/events.dto';

const STREAM_EXAMPLE = [
  'id: 1\nevent: eval-started\ndata: {"eval_id":"eval_01k9z3t5v7x9b1d3f5h7k9m1n3","models":["sim-swift"]}',
  'id: 2\nevent: delta\ndata: {"model":"sim-swift","text":"Bonjour"}',
  'id: 3\nevent: result\ndata: {"model":"sim-swift","provider":"simulator","output":"Bonjour", …}',
  'id: 4\nevent: eval\ndata: {"eval_id":"eval_01k9z3t5v7x9b1d3f5h7k9m1n3", …}',
].join('\n\n');

const EVAL_EXAMPLE = {
  eval_id: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3',
  prompt: 'Say {input} in French.',
  models: ['sim-swift'],
  results: [
    {
      model: 'sim-swift',
      provider: 'simulator',
      output: 'This response is simulated.',
      latency_ms: 52,
      cost_usd: 0.00000345,
      input_tokens: 7,
      output_tokens: 4,
      total_tokens: 11,
    },
  ],
  meta: {
    total_cost_usd: 0.00000345,
    fastest_model: 'sim-swift',
    cheapest_model: 'sim-swift',
    created_at: '2026-11-20T12:00:00.000Z',
  },
};

/**
 * The content is described as text, because that is what tools that check responses see; `contentSchema` has the
 * events.
 */
const STREAM_SCHEMA = {
  type: 'string',
  description:
    'Server-sent events: `eval-started`, then `delta` and `result` of the models as they come, then `eval` or `error`. Lines with a colon first keep the connection alive.',
  contentMediaType: 'text/event-stream',
  contentSchema: { $ref: getSchemaPath('CompareEvent') },
};

/** A run as it happens. */
export const STREAM_CONTENT = { 'text/event-stream': { schema: STREAM_SCHEMA, example: STREAM_EXAMPLE } };

const TWO_MODELS = { prompt: 'Say {input} in French.', input: 'good morning', models: ['sim-swift', 'sim-quill'] };

/** Example bodies of POST /compare; the first two are also those of POST /compare/estimate. */
export const COMPARE_EXAMPLES: BodyExamples = [
  ['Two models', TWO_MODELS],
  ['With options', { ...TWO_MODELS, options: { temperature: 0.2, max_tokens: 100 } }],
  [
    'A model at two efforts, with a system message and room for thought',
    {
      ...TWO_MODELS,
      models: ['sim-sage@low', 'sim-sage@high'],
      options: { system: 'Answer with the translation only.', reasoning_tokens: 2000, exact_model: true },
    },
  ],
  ['Refused if it could cost more than 5 cents', { ...TWO_MODELS, options: { max_cost_usd: 0.05 } }],
  [
    'Five samples, and what a good answer is',
    {
      prompt: 'What is the capital of France? [[sim:say=Paris]]',
      models: ['sim-swift', 'sim-quill'],
      options: { samples: 5 },
      checks: [
        { type: 'contains', values: ['Paris'] },
        { type: 'length', max: 20 },
      ],
    },
  ],
  ['One simulated model fails', { prompt: 'Say hello. [[sim-titan:fail]]', models: ['sim-swift', 'sim-titan'] }],
  [
    'Slow simulated models, to watch as a stream',
    { prompt: 'Say hello. [[sim:pace=20]] [[sim:length=40]]', models: ['sim-swift', 'sim-sage'] },
  ],
  ['Long simulated responses', { prompt: 'Say hello. [[sim:length=400]]', models: ['sim-swift', 'sim-quill'] }],
];

const COMPARE_ERRORS = [
  'invalid_request',
  'invalid_json',
  'unknown_model',
  'payment_required',
  'spend_limit_reached',
  'key_spend_limit_reached',
  'max_cost_exceeded',
  'model_not_allowed',
  'insufficient_scope',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'eval_erased',
  'all_models_failed',
  'overloaded',
] as const satisfies readonly ErrorCode[];

/** OpenAPI description of POST /compare: its response formats (JSON, event stream, a run) and its errors. */
export function ApiCompare(): MethodDecorator {
  return applyDecorators(ApiBodyExamples(CompareRequest, COMPARE_EXAMPLES), ApiComparison(COMPARE_ERRORS));
}

/** OpenAPI description of POST /evals/{id}/rerun. */
export function ApiRerun(): MethodDecorator {
  return applyDecorators(
    ApiBodyExamples(
      RerunRequest,
      [
        ['As it was', {}],
        ['Refused if it could cost more than 5 cents', { options: { max_cost_usd: 0.05 } }],
      ],
      { required: false },
    ),
    ApiComparison([...COMPARE_ERRORS, 'not_found'], ['Link']),
  );
}

function ApiComparison(errors: readonly ErrorCode[], headers: readonly ResponseHeader[] = []): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(CompareEventDto, AcceptedRunDto),
    ApiResponses(EvalDto, {
      description:
        'The eval, as GET /api/v1/evals/{id} returns it later; with `Accept: text/event-stream`, the run as it happens.',
      errors,
      typedErrors: { all_models_failed: AllModelsFailedDto },
      headers: ['Idempotency-Replayed', 'Location', 'Preference-Applied', ...headers],
      example: EVAL_EXAMPLE,
      otherContent: STREAM_CONTENT,
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Up to 255 characters, valid for 24 hours. Repeating a request with the same key and body returns the first eval, without another charge or vendor call.',
    }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        '`respond-async` (RFC 7240): 202 and a run in the background. With `wait=20` as well, up to 30 seconds, the eval itself if it is done by then. Without effect on an event stream.',
    }),
    ApiResponse({
      status: 202,
      description: 'With `Prefer: respond-async`: the compare is queued.',
      headers: headersOf(['Idempotency-Replayed', 'Location', 'Preference-Applied', 'Retry-After', ...headers]),
      content: { 'application/json': { schema: { $ref: getSchemaPath(AcceptedRunDto) } } },
    }),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description:
        'Sent by event stream clients that reconnect. Without an Idempotency-Key the response is 204 and nothing runs. With one, an event stream takes up a run in this process from its first event.',
    }),
    ApiResponse({
      status: 204,
      description:
        '`Last-Event-ID` without `Idempotency-Key`: the client reconnects after its stream ended or broke. Nothing runs and the client should stop; the eval is in GET /api/v1/evals.',
    }),
  );
}
