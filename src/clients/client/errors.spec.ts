import {
  AllModelsFailedError,
  AuthenticationError,
  errorClass,
  errorFromBody,
  InvalidRequestError,
  PaymentError,
  RateLimitError,
  ServiceError,
} from './errors';

describe('The class of an error', () => {
  it.each([
    [400, InvalidRequestError],
    [404, InvalidRequestError],
    [409, InvalidRequestError],
    [422, InvalidRequestError],
    [401, AuthenticationError],
    [403, AuthenticationError],
    [402, PaymentError],
    [429, RateLimitError],
    [500, ServiceError],
    [503, ServiceError],
    [302, ServiceError],
  ])('with status %i is by that status, whatever its code', (status, expected) => {
    expect([errorClass(status, 'newly_made_up'), errorClass(status, 'spend_limit_reached')]).toEqual([
      expected,
      expected,
    ]);
  });

  it.each([undefined, 400, 502])('is a separate class if all models failed, with status %s', (status) => {
    expect(errorClass(status, 'all_models_failed')).toBe(AllModelsFailedError);
  });
});

it('An error has its message in its JSON', () => {
  const error = errorFromBody(
    { error: { code: 'unknown_model', message: 'Told so.', param: 'models[0]' } },
    { status: 400, requestId: 'req_1' },
  );
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'InvalidRequestError',
    message: 'Told so.',
    code: 'unknown_model',
    status: 400,
    param: 'models[0]',
    requestId: 'req_1',
  });
});
