import { Clock } from '../../common/clock';
import type { Completion, CompletionRequest } from './provider';
import { ProviderError } from './provider.error';
import { SimulatorProvider } from './simulator.provider';

const MODEL = 'sim-swift';

function asked(prompt: string, more: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    model: MODEL,
    prompt,
    maxTokens: 500,
    temperature: 0.7,
    isStreamed: true,
    dialect: { maxTokensField: 'max_tokens' },
    ...more,
  };
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
    const answer = await new SimulatorProvider(new Clock()).complete(request, signal, (text) => pieces.push(text));
    return { pieces, answer, failure: undefined };
  } catch (failure) {
    return { pieces, answer: undefined, failure };
  }
}

describe('A simulated model', () => {
  test('streams its answer in pieces that make up the whole', async () => {
    const { pieces, answer } = await ask(asked('hello'));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(answer?.text);
    expect(answer?.finishReason).toBe('stop');
  });

  test('gives the same answer to the same request', async () => {
    expect(await ask(asked('hello'))).toEqual(await ask(asked('hello')));
  });

  test.each<[string, CompletionRequest]>([
    ['prompt', asked('hello!')],
    ['model', asked('hello', { model: 'sim-sage' })],
    ['temperature', asked('hello', { temperature: 0.8 })],
    ['limit', asked('hello', { maxTokens: 499 })],
    ['system message', asked('hello', { system: 'Be brief.' })],
  ])('gives another answer to another %s', async (_, request) => {
    expect((await ask(request)).answer?.text).not.toBe((await ask(asked('hello'))).answer?.text);
  });

  test('counts the system message as input, and reads no triggers in it', async () => {
    const { answer } = await ask(asked('hello', { system: '[[sim:fail]]' }));
    expect(answer?.usage?.inputTokens).toBe(Math.ceil('[[sim:fail]]\n\nhello'.length / 4));
  });

  test('counts a token for each four characters of the prompt and for each word of the answer', async () => {
    const { answer } = await ask(asked('x'.repeat(401)));
    expect(answer?.usage).toEqual({
      inputTokens: 101,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: answer?.text.split(' ').length,
      reasoningTokens: 0,
    });
  });
});

describe('A simulator script', () => {
  test.each([1, 7, 8, 9, 40, 500])('makes the answer %d tokens long', async (length) => {
    const { answer } = await ask(asked(`[[sim:length=${length}]]`));
    expect(answer?.text.split(' ')).toHaveLength(length);
    expect(answer).toMatchObject({ finishReason: 'stop', usage: { outputTokens: length } });
  });

  test('can ask for an empty answer', async () => {
    expect(await ask(asked('[[sim:length=0]]'))).toMatchObject({
      pieces: [],
      answer: { text: '', usage: { outputTokens: 0 } },
    });
  });

  test('can ask for more than the limit, where the answer is truncated and says so', async () => {
    const { answer } = await ask(asked('[[sim:length=20]]', { maxTokens: 12 }));
    expect(answer?.text.split(' ')).toHaveLength(12);
    expect(answer).toMatchObject({ finishReason: 'length', usage: { outputTokens: 12 } });
  });

  test.each(['rate_limited', 'timeout', 'invalid_answer'])(
    'can ask for the failure %s, before any text',
    async (code) => {
      const { pieces, failure } = await ask(asked(`[[sim:fail=${code}]]`));
      expect(pieces).toEqual([]);
      expect(failure).toBeInstanceOf(ProviderError);
      expect(failure).toMatchObject({ code, afterFirstByte: false });
    },
  );

  test('can ask for a refusal', async () => {
    expect(await ask(asked('[[sim:refusal]]'))).toMatchObject({ pieces: [], failure: { code: 'content_refused' } });
  });

  test('can ask for a connection that is lost after half of the text', async () => {
    const whole = (await ask(asked('[[sim:length=40]]'))).pieces.join('').split(' ').length;
    const { pieces, answer, failure } = await ask(asked('[[sim:length=40]][[sim:cut]]'));
    const emitted = pieces.join('').split(' ').length;
    expect(emitted).toBeGreaterThanOrEqual(whole / 2);
    expect(emitted).toBeLessThan(whole);
    expect(answer).toBeUndefined();
    expect(failure).toMatchObject({ code: 'connection_failed', afterFirstByte: true });
  });

  test('can address another model, which changes nothing here', async () => {
    expect((await ask(asked('[[sim-sage:fail]]'))).failure).toBeUndefined();
  });
});

describe('A simulated delay', () => {
  test('ends at once when the call is aborted', async () => {
    const abort = new AbortController();
    const waiting = ask(asked('[[sim:slow=120000]]'), abort.signal);
    abort.abort();
    expect(await waiting).toMatchObject({ pieces: [], answer: undefined, failure: expect.anything() as unknown });
  });

  test('does not begin when the call was aborted before', async () => {
    expect((await ask(asked('hello'), AbortSignal.abort())).failure).toBeDefined();
  });
});

describe('A piece of a simulated answer', () => {
  test('arrives in a separate turn of the event loop', async () => {
    let turns = 0;
    const seen: number[] = [];
    const count = () => {
      turns += 1;
      if (seen.length < 5) setImmediate(count);
    };
    setImmediate(count);
    await new SimulatorProvider(new Clock()).complete(asked('[[sim:length=40]]'), new AbortController().signal, () =>
      seen.push(turns),
    );
    expect(new Set(seen).size).toBe(5);
  });

  test('is larger in a very long answer, so that the pieces stay few', async () => {
    expect((await ask(asked('[[sim:length=16384]]', { maxTokens: 16_384 }))).pieces).toHaveLength(64);
  });
});

/** A stopped clock that tests can move. */
class StoppedClock extends Clock {
  at = 0;

  override monotonicMs(): number {
    return this.at;
  }
}

describe('A simulated pace', () => {
  test('emits one to three tokens at a time, the same every time', async () => {
    const { pieces, answer } = await ask(asked('[[sim:pace=10000]][[sim:length=60]]'));
    const sizes = pieces.map((piece) => piece.trim().split(' ').length);
    expect([...new Set(sizes)].sort()).toEqual([1, 2, 3]);
    expect(pieces.join('')).toBe(answer?.text);
    expect((await ask(asked('[[sim:pace=10000]][[sim:length=60]]'))).pieces).toEqual(pieces);
  });

  test('is the requested number of tokens per second', async () => {
    const clock = new Clock();
    const begun = clock.monotonicMs();
    await ask(asked('[[sim:pace=100]][[sim:length=20]]'));
    // 20 tokens, 10 ms each; timers are never early by more than a millisecond.
    expect(clock.monotonicMs() - begun).toBeGreaterThanOrEqual(199);
  });

  test('catches up when it was late', async () => {
    const clock = new StoppedClock();
    const pieces: string[] = [];
    await new SimulatorProvider(clock).complete(
      asked('[[sim:pace=100]][[sim:length=3000]]', { maxTokens: 3000 }),
      new AbortController().signal,
      (text) => {
        pieces.push(text);
        // An hour has passed with the first piece, in which all the others were due.
        clock.at = 3_600_000;
      },
    );
    expect(pieces.join('').split(' ')).toHaveLength(3000);
  }, 10_000);

  test('ends with the call, in the middle of the text', async () => {
    const abort = new AbortController();
    const pieces: string[] = [];
    const saying = new SimulatorProvider(new Clock()).complete(
      asked('[[sim:pace=20]][[sim:length=16384]]', { maxTokens: 16_384 }),
      abort.signal,
      (text) => {
        pieces.push(text);
        abort.abort();
      },
    );
    await expect(saying).rejects.toThrow();
    expect(pieces).toHaveLength(1);
  }, 10_000);

  test('is kept by an answer that is interrupted', async () => {
    const { pieces, failure } = await ask(asked('[[sim:pace=10000]][[sim:length=10]][[sim:cut]]'));
    const emitted = pieces.join('').split(' ').length;
    expect([emitted >= 5, emitted <= 8]).toEqual([true, true]);
    expect(failure).toMatchObject({ code: 'connection_failed' });
  });
});

describe('A simulated thought', () => {
  const MODEL_OF = { model: 'sim-sage', reasoningEffort: 'low' as const };

  test.each<[string, Partial<CompletionRequest>, { spent: [number, number]; text: string; finish: string }]>([
    [
      'takes no tokens without an effort',
      { reasoningEffort: undefined },
      { spent: [2, 0], text: 'Yes, yes', finish: 'stop' },
    ],
    ['takes none at the effort none', { reasoningEffort: 'none' }, { spent: [2, 0], text: 'Yes, yes', finish: 'stop' }],
    ['is counted apart from the text', {}, { spent: [202, 200], text: 'Yes, yes', finish: 'stop' }],
    [
      'takes more tokens at a higher effort',
      { reasoningEffort: 'high', maxTokens: 1602 },
      { spent: [1602, 1600], text: 'Yes, yes', finish: 'stop' },
    ],
    [
      'leaves the text what is left of the limit',
      { maxTokens: 201 },
      { spent: [201, 200], text: 'Yes,', finish: 'length' },
    ],
    ['leaves it nothing at the limit', { maxTokens: 200 }, { spent: [200, 200], text: '', finish: 'length' }],
    ['is cut itself', { maxTokens: 16 }, { spent: [16, 16], text: '', finish: 'length' }],
    [
      'is as long as the prompt wants',
      { prompt: '[[sim:say=Yes, yes]][[sim-sage:think=3]]' },
      { spent: [5, 3], text: 'Yes, yes', finish: 'stop' },
    ],
    [
      'is switched off by the prompt',
      { prompt: '[[sim:say=Yes, yes]][[sim:think=0]]' },
      { spent: [2, 0], text: 'Yes, yes', finish: 'stop' },
    ],
    [
      'is had by any model that the prompt names',
      {
        model: 'sim-swift',
        reasoningEffort: undefined,
        prompt: '[[sim:say=Yes, yes]][[sim:think=99999999999999999999]]',
      },
      { spent: [500, 500], text: '', finish: 'length' },
    ],
    [
      'is not had by the others',
      { reasoningEffort: undefined, prompt: '[[sim:say=Yes, yes]][[sim-swift:think=9]]' },
      { spent: [2, 0], text: 'Yes, yes', finish: 'stop' },
    ],
    [
      'is cut itself where no text is wanted',
      { prompt: '[[sim:length=0]][[sim:think=10]]', maxTokens: 9 },
      { spent: [9, 9], text: '', finish: 'length' },
    ],
    [
      'may be all that there is',
      { prompt: '[[sim:length=0]][[sim:think=9]]', maxTokens: 9 },
      { spent: [9, 9], text: '', finish: 'stop' },
    ],
  ])('%s', async (_, more, { spent, text, finish }) => {
    const { answer, pieces } = await ask(asked('[[sim:say=Yes, yes]]', { ...MODEL_OF, ...more }));
    expect([
      [answer?.usage?.outputTokens, answer?.usage?.reasoningTokens],
      answer?.text,
      pieces.join(''),
      answer?.finishReason,
    ]).toEqual([spent, text, text, finish]);
  });

  test('gives the same answer again, and another at another effort', async () => {
    const textAt = async (reasoningEffort: CompletionRequest['reasoningEffort']) =>
      (await ask(asked('Hello', { ...MODEL_OF, maxTokens: 4000, reasoningEffort }))).answer?.text;
    expect(await textAt('low')).toBe(await textAt('low'));
    expect(await textAt('low')).not.toBe(await textAt('medium'));
  });
});

describe('A simulated answer in a response format', () => {
  test('is JSON, also when it is streamed', async () => {
    for (const isStreamed of [false, true]) {
      const { answer, pieces } = await ask(asked('Hello', { responseFormat: { type: 'json' }, isStreamed }));
      expect(JSON.parse(answer?.text ?? '')).toEqual({ answer: expect.stringMatching(/\w/) });
      expect(pieces.join('')).toBe(answer?.text);
    }
  });

  test('is the quoted text if the prompt has one', async () => {
    expect((await ask(asked('[[sim:say={"city": "Paris"}]]', { responseFormat: { type: 'json' } }))).answer?.text).toBe(
      '{"city": "Paris"}',
    );
  });
});

describe('A simulated echo', () => {
  test('repeats the prompt, and counts a token for each four characters', async () => {
    const { answer } = await ask(asked('[[sim:echo]] Good morning, 🐘!'));
    expect(answer).toMatchObject({ text: 'Good morning, 🐘!', finishReason: 'stop', usage: { outputTokens: 4 } });
  });

  test('is truncated at the limit', async () => {
    expect((await ask(asked('[[sim:echo]]Good morning', { maxTokens: 2 }))).answer).toMatchObject({
      text: 'Good mor',
      finishReason: 'length',
      usage: { outputTokens: 2 },
    });
  });

  test('has the requested length', async () => {
    expect((await ask(asked('[[sim:echo]][[sim:length=3]]Hello!'))).answer).toMatchObject({
      text: 'Hello!Hell',
      finishReason: 'stop',
      usage: { outputTokens: 3 },
    });
  });

  test('is, for an empty prompt, an answer like any other', async () => {
    expect((await ask(asked('[[sim:echo]]'))).answer?.text.split(' ').length).toBeGreaterThan(20);
  });
});

describe('A simulated answer with a given text', () => {
  test('is the text, and counts a token for each four characters', async () => {
    const { answer } = await ask(asked('Say so. [[sim:say={"ok": true}]]'));
    expect(answer).toMatchObject({ text: '{"ok": true}', finishReason: 'stop', usage: { outputTokens: 3 } });
  });

  test('may be empty', async () => {
    expect(await ask(asked('[[sim:say=]]'))).toMatchObject({
      pieces: [],
      answer: { text: '', finishReason: 'stop', usage: { outputTokens: 0 } },
    });
  });

  test('is truncated at the limit, and has the requested length', async () => {
    expect((await ask(asked('[[sim:say=Good morning]]', { maxTokens: 2 }))).answer).toMatchObject({
      text: 'Good mor',
      finishReason: 'length',
    });
    expect((await ask(asked('[[sim:say=Hello!]][[sim:length=3]]'))).answer).toMatchObject({
      text: 'Hello!Hell',
      usage: { outputTokens: 3 },
    });
  });

  test('comes before an echo, and does not vary', async () => {
    expect((await ask(asked('[[sim:echo]][[sim:vary=20]] Good morning [[sim:say=Hello!]]'))).answer?.text).toBe(
      'Hello!',
    );
  });
});

describe('A simulated answer that varies', () => {
  const textOf = async (prompt: string, draw?: (count: number) => number) => {
    const { text } = await new SimulatorProvider(new Clock(), draw).complete(
      asked(prompt),
      new AbortController().signal,
      () => undefined,
    );
    return text;
  };

  test('is one of as many texts as requested, each of which is always the same', async () => {
    const texts = new Set<string>();
    for (let number = 0; number < 20; number += 1) {
      const text = await textOf('[[sim:vary=20]][[sim:length=40]]', (count) => {
        expect(count).toBe(20);
        return number;
      });
      expect(await textOf('[[sim:vary=20]][[sim:length=40]]', () => number)).toBe(text);
      texts.add(text);
    }
    expect(texts.size).toBe(20);
  });

  test('is drawn for each call', async () => {
    const texts = new Set<string>();
    // Only 1 in 10^26 runs draws the same of 20 texts in 21 calls.
    for (let call = 0; call < 21; call += 1) texts.add(await textOf('[[sim:vary=20]]'));
    expect(texts.size).toBeGreaterThan(1);
  });
});
