import { mapProviderError } from './map-provider-error';
import { parseErrorBody } from './parse-error-body';

/** The failure of a call that a vendor answers with this status and body. */
function failure(status: number, body: object) {
  const { codes, message, param } = parseErrorBody(body);
  const { code, message: sentence } = mapProviderError({ status, codes, message, param, cause: undefined });
  return { code, sentence };
}

const openai = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
});
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const pydantic = (...loc: (string | number)[]) => ({
  detail: [{ type: 'extra_forbidden', loc: ['body', ...loc], msg: 'Extra inputs are not permitted', input: 'secret' }],
});

describe('An option that a vendor rejects', () => {
  test.each<[string, string, number, object]>([
    [
      'reasoning_effort',
      'OpenAI',
      400,
      openai(
        "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
        'reasoning_effort',
        'unsupported_parameter',
      ),
    ],
    [
      'reasoning_effort',
      'OpenAI',
      400,
      openai(
        "Unsupported value: 'none' is not supported with the 'gpt-6.2-sol' model.",
        'reasoning.effort',
        'unsupported_value',
      ),
    ],
    ['reasoning_effort', 'Anthropic', 400, anthropic('output_config.effort: Extra inputs are not permitted')],
    [
      'reasoning_effort',
      'Anthropic',
      400,
      anthropic(
        "thinking: Input tag 'enabled' found using 'type' does not match; this is not supported for this model",
      ),
    ],
    [
      'reasoning_effort',
      'Google',
      400,
      [
        {
          error: {
            code: 400,
            message: 'Invalid reasoning_effort: minimal. Valid values are: high, low, medium, none',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
    [
      'reasoning_effort',
      'Mistral',
      422,
      {
        object: 'error',
        message: pydantic('reasoning_effort'),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    ],
    [
      'reasoning_effort',
      'xAI',
      400,
      { code: 'Client specified an invalid argument', error: 'Argument not supported on this model: reasoning_effort' },
    ],
    ['reasoning_effort', 'Groq', 400, openai('`reasoning_effort` is not supported with this model')],
    [
      'reasoning_effort',
      'DeepSeek',
      400,
      openai('Failed to deserialize the JSON body: thinking: unknown variant `on`, expected `enabled` or `disabled`'),
    ],
    [
      'reasoning_effort',
      'OpenRouter',
      400,
      { error: { code: 400, message: 'Reasoning is mandatory: reasoning.effort must be low or higher', metadata: {} } },
    ],
    [
      'reasoning_tokens',
      'Anthropic',
      400,
      anthropic('thinking.enabled.budget_tokens: Input must be greater than or equal to 1024; it must be larger'),
    ],
    [
      'response_format',
      'OpenAI',
      400,
      openai("Invalid schema for response_format 'answer': 'required' is required.", 'response_format'),
    ],
    ['response_format', 'Anthropic', 400, anthropic('output_config.format: Extra inputs are not permitted')],
    [
      'response_format',
      'Mistral',
      422,
      {
        object: 'error',
        message: pydantic('response_format', 'json_schema'),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    ],
    [
      'response_format',
      'Google',
      400,
      {
        error: {
          code: 400,
          message: 'Invalid JSON payload received.',
          status: 'INVALID_ARGUMENT',
          details: [{ fieldViolations: [{ field: 'response_format.schema', description: 'Unknown name' }] }],
        },
      },
    ],
    ['system', 'Anthropic', 400, anthropic('system: Extra inputs are not permitted')],
    [
      'system',
      'OpenAI',
      400,
      openai(
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        'messages[0].role',
        'unsupported_value',
      ),
    ],
    [
      'max_tokens',
      'OpenAI',
      400,
      openai("Unsupported parameter: 'max_tokens' is not supported with this model.", 'max_tokens'),
    ],
    [
      'max_tokens',
      'OpenAI',
      400,
      openai(
        'max_completion_tokens is too large: 200000. This model supports at most 128000 completion tokens.',
        'max_completion_tokens',
      ),
    ],
    ['max_tokens', 'Anthropic', 400, anthropic('max_tokens: 200000 > 128000, which is not allowed')],
    ['temperature', 'Anthropic', 400, anthropic('`temperature` is deprecated for this model.')],
    [
      'temperature',
      'Mistral',
      422,
      {
        object: 'error',
        message: 'temperature must be at most 1.5',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    ],
  ])('is named: %s by %s with %d', (option, _vendor, status, body) => {
    const { code, sentence } = failure(status, body);
    expect(code).toBe('invalid_request');
    expect(sentence).toMatch(
      new RegExp(`^The vendor rejected the option ${option}, and the model was not called without it\\. It says: \\S`),
    );
    expect(sentence).not.toContain('secret');
  });

  test.each<[string, number, object]>([
    ['another member', 400, openai('top_k is too high', 'top_k')],
    ['no member', 400, openai('We could not parse the JSON body of your request.')],
    ['an option without refusing it', 400, openai('Set temperature to 1 for better results. The messages were empty.')],
    ['the messages', 400, openai("Invalid value for 'content': expected a string, got null.", 'messages.[0].content')],
    [
      'a name that only begins like an option',
      400,
      openai('Unsupported parameter: reasoning_content', 'reasoning_content'),
    ],
    [
      'an option far behind, where the prompt is repeated',
      400,
      openai(`Invalid input: ${'x'.repeat(600)} temperature`),
    ],
    ['a member that is no text', 400, { error: { message: 'No.', param: { reasoning_effort: 1 } } }],
  ])('is not claimed where the vendor names %s', (_, status, body) => {
    expect(failure(status, body).code).toBe('rejected');
  });

  test.each<[string, number, object, string]>([
    [
      'a rate limit',
      429,
      openai(
        'Rate limit reached for max_tokens; reasoning_effort is not supported.',
        'max_tokens',
        'rate_limit_exceeded',
      ),
      'rate_limited',
    ],
    [
      'a context that is too long',
      400,
      openai(
        'The maximum context length is 128000 tokens; max_tokens must be lower.',
        'max_tokens',
        'context_length_exceeded',
      ),
      'context_too_long',
    ],
    ['a fault of the vendor', 500, openai('Invalid temperature', 'temperature'), 'unavailable'],
  ])('is no reason for %s', (_, status, body, code) => {
    expect(failure(status, body).code).toBe(code);
  });

  test('is looked for in bounded time', () => {
    const started = performance.now();
    for (const text of ['a'.repeat(2_000_000), 'a_'.repeat(1_000_000), "'".repeat(2_000_000)])
      failure(400, openai(`Invalid ${text}`));
    expect(performance.now() - started).toBeLessThan(500);
  });
});
