import { goneText, refusalText, withFormLabels } from './refusal';

const text = (code: string, members: object = {}) =>
  refusalText({
    code,
    message: 'What the service says.',
    status: 402,
    details: undefined,
    requestId: 'req_1',
    retryAfter: undefined,
    ...members,
  });

describe('refusalText', () => {
  it('offers to leave a payment method', () => expect(text('payment_required').wantsPayment).toBe(true));

  it.each([
    ['spend_limit_reached', 'your monthly limit'],
    ['key_spend_limit_reached', 'the monthly limit of this key'],
  ])('says of %s whose limit it is', (code, whose) => {
    const { lines } = text(code, { details: { limit_usd: '5', left_usd: '0.2', needed_usd: '0.351234' } });
    expect(lines).toEqual([
      'What the service says.',
      `Of ${whose} of $5, $0.20 is left, and this run may need $0.351.`,
    ]);
    expect(text(code).lines).toEqual(['What the service says.']);
  });

  it('compares the most a run may cost with the ceiling', () => {
    expect(text('max_cost_exceeded', { details: { most_cost_usd: '0.0061', max_cost_usd: '0.005' } }).lines[0]).toBe(
      'This run could cost $0.0061, which is more than your cost limit of $0.005.',
    );
    expect(text('max_cost_exceeded').lines[0]).toBe('What the service says.');
  });

  it('says which scope is missing', () =>
    expect(text('insufficient_scope', { status: 403, details: { required_scope: 'compare' } }).lines[1]).toContain(
      'the scope compare',
    ));

  it('says that nothing was charged when every model failed', () =>
    expect(text('all_models_failed', { status: 502 })).toMatchObject({
      kind: 'failure',
      lines: ['Every model failed. Nothing was stored or charged.'],
    }));

  it('names the request where the service is at fault only', () => {
    expect(text('internal_error', { status: 500 })).toMatchObject({
      kind: 'failure',
      lines: ['What the service says.', expect.stringContaining('req_1')],
    });
    expect(text('brand_new', { status: 400 })).toMatchObject({ kind: 'warning', lines: ['What the service says.'] });
  });

  it('leaves the name of a header to programs', () => {
    expect(
      text('rate_limited', { status: 429, message: 'Too many requests; try again after Retry-After seconds.' }).lines,
    ).toEqual(['Too many requests.']);
  });

  it('says what may have become of a run whose connection was never there', () =>
    expect(text('connection_failed', { status: undefined }).lines[1]).toContain('history'));
});

describe('withFormLabels', () => {
  it.each([
    ['options.history[2].content must not be empty', 'Turn 3: content must not be empty'],
    ['checks[0].pattern is required', 'Check 1: pattern is required'],
  ])('says %s in the words of the form', (message, words) => expect(withFormLabels(message)).toBe(words));
});

describe('goneText', () => {
  it('says what is known of a run without a result, and that nothing is known without an answer of the service', () => {
    expect(goneText(undefined)).toBe(
      'No result was found: the run was interrupted, every model failed, or it could not be stored. Nothing was charged.',
    );
    expect(goneText({ message: 'No connection to the service.' })).toBe(
      'No connection to the service. The page does not know if the run has ended. If it was stored, it is in the history.',
    );
  });
});

describe('inFormWords', () => {
  it.each([
    [
      'checks[0].schema is not valid; checks[11].values[2] is too long.',
      'Check 1: schema is not valid; Check 12: values[2] is too long.',
    ],
    ['checks[1] has no type.', 'Check 2 has no type.'],
    ['checks must have at most 20 elements.', 'checks must have at most 20 elements.'],
  ])('makes of “%s” “%s”', (message, words) => expect(withFormLabels(message)).toBe(words));

  it('is how a refusal speaks of checks', () =>
    expect(text('invalid_request', { message: 'checks[2].pattern is too large.' }).lines).toEqual([
      'Check 3: pattern is too large.',
    ]));
});
