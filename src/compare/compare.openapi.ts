import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { EvalDto } from '../evals/eval.dto';
import { ApiBodyExamples, type BodyExamples } from '../http/api-body.decorator';
import { ApiResponses } from '../http/api-responses.decorator';
import { CompareRequest } from './compare.dto';

const EXAMPLE = [
  'id: 1\nevent: eval-started\ndata: {"eval_id":"eval_01k9z3t5v7x9b1d3f5h7k9m1n3","models":["sim-swift"]}',
  'id: 2\nevent: delta\ndata: {"model":"sim-swift","text":"Bonjour"}',
  'id: 3\nevent: result\ndata: {"model":"sim-swift","provider":"simulator","output":"Bonjour", …}',
  'id: 4\nevent: eval\ndata: {"eval_id":"eval_01k9z3t5v7x9b1d3f5h7k9m1n3", …}',
].join('\n\n');

const EVAL_EXAMPLE = {
  eval_id: 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3',
  prompt: 'Say {input} in French.',
  models: ['sim-swift'],
  results: [{
    model: 'sim-swift', provider: 'simulator', output: 'This response is simulated.', latency_ms: 52,
    cost_usd: 0.00000345, input_tokens: 7, output_tokens: 4, total_tokens: 11,
  }],
  meta: { total_cost_usd: 0.00000345, fastest_model: 'sim-swift', cheapest_model: 'sim-swift', created_at: '2026-11-20T12:00:00.000Z' },
};

const STREAM = 'Server-sent events: `eval-started` (eval_id, models), `delta` (model, text), `result` (a complete Result as soon as a model finishes), '
  + 'then `eval` (the complete Eval) or `error` (the error body). Comment lines are heartbeats. After a disconnect the run continues and the eval appears in GET /api/v1/evals. '
  + 'Clients that reconnect automatically (such as EventSource) receive a 204, which tells them to stop; with an Idempotency-Key they receive the eval again.';

const TWO_MODELS = { prompt: 'Say {input} in French.', input: 'good morning', models: ['sim-swift', 'sim-quill'] };

/** Example bodies of POST /compare and POST /compare/estimate. */
export const COMPARE_EXAMPLES: BodyExamples = [
  ['Two models', TWO_MODELS],
  ['With options', { ...TWO_MODELS, options: { temperature: 0.2, max_tokens: 100, max_cost_usd: 0.05 } }],
];

/** OpenAPI description of POST /compare: both response formats (JSON and event stream) and its errors. */
export function ApiCompare(): MethodDecorator {
  return applyDecorators(
    ApiBodyExamples(CompareRequest, COMPARE_EXAMPLES),
    ApiResponses(EvalDto, {
      description: 'The eval, as GET /api/v1/evals/{id} returns it later; with `Accept: text/event-stream`, the run as it happens.',
      errors: ['invalid_request', 'invalid_json', 'unknown_model', 'payment_required', 'spend_limit_reached', 'key_spend_limit_reached', 'max_cost_exceeded', 'model_not_allowed', 'insufficient_scope',
        'idempotency_key_in_use', 'idempotency_key_reused', 'eval_erased', 'body_too_large', 'unsupported_media_type', 'all_models_failed', 'overloaded'],
      headers: {
        'Idempotency-Replayed': { description: '`true` when an earlier eval with the same key was returned.', schema: { type: 'string' } },
        Location: { description: 'URL of the eval (JSON only).', schema: { type: 'string' } },
      },
      example: EVAL_EXAMPLE,
      otherContent: { 'text/event-stream': { schema: { type: 'string', description: STREAM }, example: EXAMPLE } },
    }),
    ApiHeader({ name: 'Idempotency-Key', required: false, description: 'Up to 255 characters, valid for 24 hours. Repeating a request with the same key and body returns the first eval, without another charge or vendor call.' }),
    ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Sent by event stream clients that reconnect. Without an Idempotency-Key the response is 204 and nothing runs; with one the header has no effect.' }),
    ApiResponse({ status: 204, description: '`Last-Event-ID` without `Idempotency-Key`: the client reconnects after its stream ended or broke. Nothing runs and the client should stop; the eval is in GET /api/v1/evals.' }),
  );
}
