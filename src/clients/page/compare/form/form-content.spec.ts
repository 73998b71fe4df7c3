import {
  contentOf,
  EMPTY_FORM,
  evaluationText,
  fieldOfParam,
  type FormContent,
  optionsText,
  requestOf,
} from './form-content';

const form = (content: Partial<FormContent> = {}): FormContent => ({
  ...EMPTY_FORM,
  prompt: 'Hi',
  models: ['a'],
  ...content,
});
const fieldsAtFault = (content: Partial<FormContent>) => {
  const made = requestOf(form(content));
  return 'problems' in made ? made.problems.map(({ field }) => field) : [];
};

describe('requestOf', () => {
  it('leaves out what is empty', () => expect(requestOf(form())).toEqual({ body: { prompt: 'Hi', models: ['a'] } }));

  it('sends every option that is given', () => {
    expect(requestOf(form({ input: ' x ', temperature: ' 0 ', maxTokens: '500', maxCostUsd: '.05' }))).toEqual({
      body: {
        prompt: 'Hi',
        models: ['a'],
        input: ' x ',
        options: { temperature: 0, max_tokens: 500, max_cost_usd: 0.05 },
      },
    });
  });

  it('sends system message, effort and room that are given', () => {
    expect(requestOf(form({ system: ' Be brief. ', effort: 'low', room: ' 0 ' }))).toEqual({
      body: {
        prompt: 'Hi',
        models: ['a'],
        options: { system: ' Be brief. ', reasoning_effort: 'low', reasoning_tokens: 0 },
      },
    });
    expect(requestOf(form({ system: ' \n', effort: '', room: ' ' }))).toEqual({
      body: { prompt: 'Hi', models: ['a'] },
    });
  });

  it.each<[Partial<FormContent>, object]>([
    [
      { format: ' json ', exact: 'required' },
      { response_format: { type: 'json' }, exact_model: true },
    ],
    [
      { format: '{"type":"object","required":["a"]}' },
      { response_format: { type: 'json_schema', schema: { type: 'object', required: ['a'] } } },
    ],
  ])('sends the form of the answers and the exact model of %j', (content, options) =>
    expect(requestOf(form(content))).toEqual({ body: { prompt: 'Hi', models: ['a'], options } }),
  );

  it('sends samples and checks that are given', () => {
    expect(requestOf(form({ samples: '5', checks: [{ type: 'contains', values: 'Paris' }] }))).toEqual({
      body: { prompt: 'Hi', models: ['a'], options: { samples: 5 }, checks: [{ type: 'contains', values: ['Paris'] }] },
    });
  });

  it('sends earlier turns unchanged, and says which one has no text', () => {
    const history = [
      { role: 'user', content: ' a ' },
      { role: 'user', content: '{input}' },
    ] as const;
    expect(requestOf(form({ history }))).toMatchObject({ body: { options: { history } } });
    expect(requestOf(form({ history: [...history, { role: 'assistant', content: ' \n' }] }))).toEqual({
      problems: [{ field: 'history', message: 'Turn 3 is empty. Write it, or remove it.' }],
    });
  });

  it('says which check has to be mended', () => {
    expect(requestOf(form({ checks: [{ type: 'finished' }, { type: 'regex' }] }))).toEqual({
      problems: [{ field: 'checks', message: 'Check 2: “Pattern” is empty.' }],
    });
  });

  it.each(['0.1', '0.000000000001', '123456789.123456', '0.123456789012'])(
    'sends a ceiling of %s with all its digits',
    (maxCostUsd) => {
      const made = requestOf(form({ maxCostUsd }));
      const digits = (text: string) => text.replace(/e.*|\D/g, '').replace(/^0+|0+$/g, '');
      expect('body' in made && digits((made.body.options?.max_cost_usd ?? 0).toPrecision(15))).toBe(digits(maxCostUsd));
    },
  );

  it.each<[Partial<FormContent>, string[]]>([
    [{ prompt: ' \n' }, ['prompt']],
    [{ models: [] }, ['models']],
    [{ temperature: 'warm' }, ['temperature']],
    [{ temperature: '1e3' }, ['temperature']],
    [{ temperature: '-1' }, ['temperature']],
    [{ maxTokens: '1.5' }, ['maxTokens']],
    [{ maxTokens: '99999999999' }, ['maxTokens']],
    [{ maxCostUsd: '$1' }, ['maxCostUsd']],
    [{ maxCostUsd: '0.0000000000001' }, ['maxCostUsd']],
    [{ maxCostUsd: '12345.12345678901' }, ['maxCostUsd']],
    [{ prompt: '', models: [], maxTokens: 'x' }, ['prompt', 'models', 'maxTokens']],
    [{ samples: '1.5' }, ['samples']],
    [{ room: '-1' }, ['room']],
    [{ room: '1e3' }, ['room']],
    [{ format: 'JSON please' }, ['format']],
    [{ format: '[1]' }, ['format']],
    [{ format: 'true' }, ['format']],
    [{ checks: [{ type: 'number', value: 'x' }] }, ['checks']],
  ])('does not send %j', (content, fields) => expect(fieldsAtFault(content)).toEqual(fields));
});

describe('contentOf', () => {
  it.each<Partial<FormContent>>([
    { maxCostUsd: '0.0000001' },
    { temperature: '0', maxTokens: '500', maxCostUsd: '0.05', input: ' x' },
    { samples: '5', checks: [{ type: 'regex', pattern: 'a' }] },
    { system: 'x', effort: 'none', room: '0' },
    { history: [{ role: 'assistant', content: 'x' }] },
    { format: 'json', exact: 'required' },
    { format: '{\n  "type": "object"\n}' },
    {},
  ])('gives the form again that made a request: %j', (content) => {
    const made = requestOf(form(content));
    expect('body' in made && contentOf(made.body)).toEqual(form(content));
  });
});

describe('fieldOfParam', () => {
  it.each([
    ['prompt', 'prompt'],
    ['models', 'models'],
    ['models[3]', 'models'],
    ['input', 'input'],
    ['options.max_tokens', 'maxTokens'],
    ['options.max_cost_usd', 'maxCostUsd'],
    ['options.temperature', 'temperature'],
    ['options.samples', 'samples'],
    ['options.system', 'system'],
    ['options.history', 'history'],
    ['options.history[2].content', 'history'],
    ['options.reasoning_effort', 'effort'],
    ['options.reasoning_tokens', 'room'],
    ['options.response_format', 'format'],
    ['options.response_format.schema.type', 'format'],
    ['options.exact_model', 'exact'],
    ['options.other', undefined],
    ['checks', 'checks'],
    ['checks[3].pattern', 'checks'],
    ['Idempotency-Key', undefined],
    ['constructor', undefined],
    ['models[x]', undefined],
    [undefined, undefined],
  ])('of %p is %p', (param, field) => expect(fieldOfParam(param)).toBe(field));
});

describe('optionsText', () => {
  it('says what counts when nothing is given', () =>
    expect(optionsText(EMPTY_FORM)).toBe('500 tokens · no cost limit'));
  it('says what is given', () =>
    expect(optionsText(form({ temperature: '0', maxTokens: '50', maxCostUsd: '0.05' }))).toBe(
      'temperature 0 · 50 tokens · at most $0.05',
    ));
  it('begins with what few give', () =>
    expect(optionsText(form({ system: 'x', effort: 'low', room: '2000', format: 'json', exact: 'required' }))).toBe(
      'effort low · system message · JSON · exact model · 500 + 2000 tokens · no cost limit',
    ));
});

describe('evaluationText', () => {
  it('says what counts when nothing is given', () => expect(evaluationText(EMPTY_FORM)).toBe('none'));
  it('counts what is given', () => {
    expect(evaluationText({ samples: '5', checks: [{ type: 'finished' }] })).toBe('5 samples · 1 check');
    expect(evaluationText({ samples: ' 1 ', checks: [{ type: 'finished' }, { type: 'json' }] })).toBe(
      '1 sample · 2 checks',
    );
  });
});
