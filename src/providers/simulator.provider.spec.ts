import type { Completion, CompletionRequest } from './provider';
import { ProviderError } from './provider.error';
import { SimulatorProvider } from './simulator.provider';

const MODEL = 'sim-swift';

function asked(prompt: string, more: Partial<CompletionRequest> = {}): CompletionRequest {
  return { model: MODEL, prompt, maxTokens: 500, temperature: 0.7, dialect: { maxTokensField: 'max_tokens' }, ...more };
}

interface Told {
  pieces: string[];
  answer: Completion | undefined;
  failure: unknown;
}

/** Everything the simulator does with a request: the pieces, then the answer or what it threw. */
async function ask(request: CompletionRequest, signal = new AbortController().signal): Promise<Told> {
  const pieces: string[] = [];
  try {
    const answer = await new SimulatorProvider().complete(request, signal, (text) => pieces.push(text));
    return { pieces, answer, failure: undefined };
  } catch (failure) {
    return { pieces, answer: undefined, failure };
  }
}

describe('a simulated model', () => {
  test('streams its answer in pieces that make up the whole', async () => {
    const { pieces, answer } = await ask(asked('hello'));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(answer?.text);
    expect(answer?.finishReason).toBe('stop');
  });

  test('answers the same to the same request', async () => {
    expect(await ask(asked('hello'))).toEqual(await ask(asked('hello')));
  });

  test.each<[string, CompletionRequest]>([
    ['prompt', asked('hello!')],
    ['model', asked('hello', { model: 'sim-sage' })],
    ['temperature', asked('hello', { temperature: 0.8 })],
    ['limit', asked('hello', { maxTokens: 499 })],
  ])('answers otherwise to another %s', async (_, request) => {
    expect((await ask(request)).answer?.text).not.toBe((await ask(asked('hello'))).answer?.text);
  });

  test('counts a token for each four characters asked and for each word said', async () => {
    const { answer } = await ask(asked('x'.repeat(401)));
    expect(answer?.usage).toEqual({
      inputTokens: 101, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: answer?.text.split(' ').length, reasoningTokens: 0,
    });
  });
});

describe('a script', () => {
  test.each([1, 7, 8, 9, 40, 500])('makes the answer %d tokens long', async (length) => {
    const { answer } = await ask(asked(`[[sim:length=${length}]]`));
    expect(answer?.text.split(' ')).toHaveLength(length);
    expect(answer).toMatchObject({ finishReason: 'stop', usage: { outputTokens: length } });
  });

  test('can ask for nothing', async () => {
    expect(await ask(asked('[[sim:length=0]]'))).toMatchObject({ pieces: [], answer: { text: '', usage: { outputTokens: 0 } } });
  });

  test('can ask for more than the limit, where the answer is cut and says so', async () => {
    const { answer } = await ask(asked('[[sim:length=20]]', { maxTokens: 12 }));
    expect(answer?.text.split(' ')).toHaveLength(12);
    expect(answer).toMatchObject({ finishReason: 'length', usage: { outputTokens: 12 } });
  });

  test.each(['rate_limited', 'timeout', 'invalid_answer'])('can ask for the failure %s, before any text', async (code) => {
    const { pieces, failure } = await ask(asked(`[[sim:fail=${code}]]`));
    expect(pieces).toEqual([]);
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ code, afterFirstByte: false });
  });

  test('can ask for a refusal', async () => {
    expect(await ask(asked('[[sim:refusal]]'))).toMatchObject({ pieces: [], failure: { code: 'content_refused' } });
  });

  test('can ask for a connection that is lost after half of the text', async () => {
    const whole = (await ask(asked('[[sim:length=40]]'))).pieces.join('').split(' ').length;
    const { pieces, answer, failure } = await ask(asked('[[sim:length=40]][[sim:cut]]'));
    const said = pieces.join('').split(' ').length;
    expect(said).toBeGreaterThanOrEqual(whole / 2);
    expect(said).toBeLessThan(whole);
    expect(answer).toBeUndefined();
    expect(failure).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
  });

  test('can speak to another model, which changes nothing here', async () => {
    expect((await ask(asked('[[sim-sage:fail]]'))).failure).toBeUndefined();
  });
});

describe('a simulated wait', () => {
  test('ends at once when the call is called off', async () => {
    const abort = new AbortController();
    const waiting = ask(asked('[[sim:slow=120000]]'), abort.signal);
    abort.abort();
    expect(await waiting).toMatchObject({ pieces: [], answer: undefined, failure: expect.anything() as unknown });
  });

  test('does not begin when the call was called off before', async () => {
    expect((await ask(asked('hello'), AbortSignal.abort())).failure).toBeDefined();
  });
});
