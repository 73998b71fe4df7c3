import { Clock } from '../../common/clock';
import { Config } from '../../platform/config/config';
import { Metrics } from '../../platform/observability/metrics';
import { mapProviderError } from './map-provider-error';
import { ModelCallService, type Failed, type CallOutcome } from './model-call.service';
import type { Completion, CompletionRequest, OnText, Provider } from './provider';
import { ProviderError, type FailureCode, type ProviderErrorOptions } from './provider.error';

const NEEDED = {
  DATABASE_URL: 'postgresql://db/mcs',
  ADMIN_API_KEY: 'operator-key-0123456789',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
};
const REQUEST: CompletionRequest = {
  model: 'm',
  prompt: 'hello',
  maxTokens: 500,
  temperature: 0.7,
  isStreamed: true,
  dialect: { maxTokensField: 'max_tokens' },
};
const ANSWER: Completion = { text: 'good morning', finishReason: 'stop', usage: undefined };

/** A stopped clock that can be advanced. */
class StandingClock extends Clock {
  private nowMs = 1000;

  override monotonicMs(): number {
    return this.nowMs;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }
}

/** One attempt at an answer. */
type Attempt = (onText: OnText, signal: AbortSignal) => Promise<Completion>;

/** A vendor that plays one attempt after the other, the last one for ever, and keeps a log of its calls. */
class ScriptedProvider implements Provider {
  readonly vendor = 'simulator';
  readonly calls: { request: CompletionRequest; signal: AbortSignal }[] = [];
  private readonly attempts: Attempt[];

  constructor(...attempts: Attempt[]) {
    this.attempts = attempts;
  }

  async complete(request: CompletionRequest, signal: AbortSignal, onText: OnText): Promise<Completion> {
    this.calls.push({ request, signal });
    const attempt = this.attempts[Math.min(this.calls.length, this.attempts.length) - 1];
    if (attempt === undefined) throw new Error('There is no attempt to play.');
    return attempt(onText, signal);
  }
}

const answer: Attempt = async (onText) => {
  onText('good ');
  onText('morning');
  return ANSWER;
};

// Waits of no time, so that tests need none.
function fail(code: FailureCode, options: ProviderErrorOptions = { retryAfterMs: 0 }): Attempt {
  return async () => {
    throw new ProviderError(code, options);
  };
}

/** Says nothing until it is called off. */
const silence: Attempt = async (_, signal) => {
  signal.throwIfAborted();
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('called off'))));
  return ANSWER;
};

interface Ended {
  pieces: string[];
  outcome: CallOutcome;
}

/** Calls with these settings and reads to the end. */
async function call(
  provider: Provider,
  settings: Record<string, string> = {},
  clock: Clock = new StandingClock(),
  metrics = new Metrics(),
): Promise<Ended> {
  const pieces: string[] = [];
  const outcome = await new ModelCallService(Config.read({ ...NEEDED, ...settings }), clock, metrics).callWithRetries(
    provider,
    REQUEST,
    (text) => pieces.push(text),
  );
  return { pieces, outcome };
}

describe('ModelCallService', () => {
  test('reports the text as it arrives and then the completion', async () => {
    const provider = new ScriptedProvider(answer);
    expect(await call(provider)).toMatchObject({
      pieces: ['good ', 'morning'],
      outcome: { completion: ANSWER, attempts: 1 },
    });
    expect(provider.calls.map(({ request }) => request)).toEqual([REQUEST]);
  });

  test.each([
    ['a pair that comes in two pieces', ['a\ud83c', '\udf0db'], ['a', '\ud83c\udf0db']],
    ['a half that stays alone', ['a\ud83c', 'b', '\ud83c'], ['a', '\ufffdb', '\ufffd']],
  ])('reports %s as text that UTF-8 can write', async (_, given, expected) => {
    const provider = new ScriptedProvider(async (onText) => {
      given.forEach(onText);
      return { ...ANSWER, text: given.join('') };
    });
    expect((await call(provider)).pieces).toEqual(expected);
  });

  test('reports a piece before the next one has arrived', async () => {
    const texts: string[] = [];
    const provider = new ScriptedProvider(async (onText) => {
      onText('good ');
      expect(texts).toEqual(['good ']);
      throw new ProviderError('connection_failed', { afterFirstByte: true });
    });
    const outcome = await new ModelCallService(Config.read(NEEDED), new StandingClock(), new Metrics()).callWithRetries(
      provider,
      REQUEST,
      (text) => texts.push(text),
    );
    expect(outcome).toMatchObject({ failure: { code: 'connection_failed' } });
  });

  test('turns every thrown error into an outcome', async () => {
    const anything: unknown[] = [new TypeError('x'), 'boom', undefined];
    for (const thrown of anything) {
      const provider = new ScriptedProvider(async () => {
        throw thrown;
      });
      expect(await call(provider)).toMatchObject({ outcome: { failure: { code: 'internal_error' }, attempts: 1 } });
    }
    const broken = new ScriptedProvider(() => {
      throw new Error('thrown before it is asynchronous');
    });
    expect(await call(broken)).toMatchObject({ outcome: { failure: { code: 'internal_error' }, attempts: 1 } });
  });

  test('aborts the signal of a call that has failed, so that no connection stays open', async () => {
    const provider = new ScriptedProvider(fail('rejected'));
    await call(provider);
    expect(provider.calls[0]?.signal.aborted).toBe(true);
  });
});

describe('The latency of a call', () => {
  test('runs from dispatch to the last byte, and has a time to first text', async () => {
    const clock = new StandingClock();
    const provider = new ScriptedProvider(async (onText) => {
      clock.advance(30);
      onText('good ');
      clock.advance(70);
      onText('morning');
      clock.advance(5.4);
      return ANSWER;
    });
    expect((await call(provider, {}, clock)).outcome).toMatchObject({ latencyMs: 105, ttftMs: 30 });
  });

  test('has no time to first text where there was no text', async () => {
    const clock = new StandingClock();
    const provider = new ScriptedProvider(async () => {
      clock.advance(40);
      return { ...ANSWER, text: '' };
    });
    expect((await call(provider, {}, clock)).outcome).toMatchObject({ latencyMs: 40, ttftMs: null });
  });

  test('is that of the successful attempt alone', async () => {
    const clock = new StandingClock();
    const slowFailure: Attempt = async () => {
      clock.advance(800);
      throw new ProviderError('overloaded', { retryAfterMs: 0 });
    };
    const provider = new ScriptedProvider(slowFailure, async (onText) => {
      clock.advance(25);
      onText('good morning');
      return ANSWER;
    });
    expect((await call(provider, {}, clock)).outcome).toMatchObject({ attempts: 2, latencyMs: 25, ttftMs: 25 });
  });

  test('runs, for a failed call, until the last failure', async () => {
    const clock = new StandingClock();
    const provider = new ScriptedProvider(async () => {
      clock.advance(100);
      throw new ProviderError('overloaded', { retryAfterMs: 0 });
    });
    expect((await call(provider, { MAX_VENDOR_RETRIES: '2' }, clock)).outcome).toMatchObject({
      attempts: 3,
      latencyMs: 300,
    });
  });
});

describe('A retry', () => {
  test.each<FailureCode>(['rate_limited', 'overloaded', 'unavailable', 'connection_failed'])(
    'follows %s before the first byte',
    async (code) => {
      expect(await call(new ScriptedProvider(fail(code), answer))).toMatchObject({
        pieces: ['good ', 'morning'],
        outcome: { completion: ANSWER, attempts: 2 },
      });
    },
  );

  test.each<FailureCode>([
    'timeout',
    'authentication_failed',
    'quota_exhausted',
    'content_refused',
    'context_too_long',
    'model_unavailable',
    'rejected',
  ])('does not follow %s', async (code) => {
    const { outcome } = await call(new ScriptedProvider(fail(code), answer));
    expect(outcome).toMatchObject({ failure: { code }, attempts: 1 });
  });

  test.each([408, 409, 429, 500, 502, 503, 504, 529])('follows the status %d', async (status) => {
    const codes = status === 504 || status === 408 ? 'timeout_error' : '';
    const headers = { 'retry-after': '0' };
    const refuse: Attempt = async () => {
      throw mapProviderError({ status, headers, codes, message: undefined, cause: undefined });
    };
    expect((await call(new ScriptedProvider(refuse, answer))).outcome).toMatchObject({
      attempts: 2,
      completion: ANSWER,
    });
  });

  test('never follows once a part of the answer has arrived, for it would be paid twice', async () => {
    const broken: Attempt = async (onText) => {
      onText('good ');
      throw new ProviderError('connection_failed', { afterFirstByte: true, retryAfterMs: 0 });
    };
    expect(await call(new ScriptedProvider(broken, answer))).toMatchObject({
      pieces: ['good '],
      outcome: { failure: { code: 'connection_failed' }, attempts: 1 },
    });
    expect(
      (await call(new ScriptedProvider(fail('overloaded', { afterFirstByte: true, retryAfterMs: 0 }), answer))).outcome,
    ).toMatchObject({ attempts: 1 });
  });

  test.each([
    [0, 1],
    [1, 2],
    [2, 3],
    [5, 6],
  ])('happens at most %d times, which makes %d attempts', async (retries, attempts) => {
    const provider = new ScriptedProvider(fail('overloaded'));
    const { outcome } = await call(provider, { MAX_VENDOR_RETRIES: String(retries) });
    expect(outcome).toMatchObject({ failure: { code: 'overloaded' }, attempts });
    expect(provider.calls).toHaveLength(attempts);
  });

  test('ends with the failure of the last attempt', async () => {
    const provider = new ScriptedProvider(fail('overloaded'), fail('rate_limited'), fail('rejected'), answer);
    expect((await call(provider, { MAX_VENDOR_RETRIES: '5' })).outcome).toMatchObject({
      failure: { code: 'rejected' },
      attempts: 3,
    });
  });
});

describe('The pause before a retry', () => {
  /** A call whose first attempt fails so late that only this much time is left. */
  async function callWithTimeLeft(leftMs: number, options: ProviderErrorOptions): Promise<CallOutcome> {
    const clock = new StandingClock();
    const provider = new ScriptedProvider(async () => {
      clock.advance(60_000 - leftMs);
      throw new ProviderError('rate_limited', options);
    }, answer);
    return (await call(provider, { MODEL_TIMEOUT_MS: '60000' }, clock)).outcome;
  }

  test('is the one of Retry-After where our own would no longer fit', async () => {
    expect(await callWithTimeLeft(100, { retryAfterMs: 1 })).toMatchObject({ attempts: 2, completion: ANSWER });
    expect(await callWithTimeLeft(100, {})).toMatchObject({ attempts: 1, failure: { code: 'rate_limited' } });
  });

  test('is not shorter than Retry-After says', async () => {
    const clock = new Clock();
    const begun: number[] = [];
    const limited: Attempt = async () => {
      begun.push(clock.monotonicMs());
      throw new ProviderError('rate_limited', { retryAfterMs: 60 });
    };
    await call(new ScriptedProvider(limited), { MAX_VENDOR_RETRIES: '1' }, clock);
    const [first = 0, second = 0] = begun;
    // Timers may fire a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(58);
  });

  test.each([
    [5001, 5000],
    [3_600_000, 60_000],
  ])('is not begun when it is %d ms and only %d ms are left', async (retryAfterMs, leftMs) => {
    expect(await callWithTimeLeft(leftMs, { retryAfterMs })).toMatchObject({
      attempts: 1,
      failure: { code: 'rate_limited', retryAfterMs },
    });
  });
});

describe('The deadline of a call', () => {
  const SOON = { MODEL_TIMEOUT_MS: '50' };
  const real = new Clock();

  test('ends a call to a vendor that never answers', async () => {
    const { outcome } = await call(new ScriptedProvider(silence), SOON, real);
    expect(outcome).toMatchObject({ failure: { code: 'timeout', retryable: true }, attempts: 1 });
    // Timers may fire a millisecond early.
    expect((outcome as Failed).latencyMs).toBeGreaterThanOrEqual(48);
  });

  test('ends a call to a vendor that stalls after a part, which stays reported', async () => {
    const halting: Attempt = async (onText, signal) => {
      onText('good ');
      return silence(onText, signal);
    };
    expect(await call(new ScriptedProvider(halting), SOON, real)).toMatchObject({
      pieces: ['good '],
      outcome: { failure: { code: 'timeout' }, attempts: 1 },
    });
  });

  test('takes precedence over the error of the vendor when the call is aborted, and no retry follows', async () => {
    const excuse: Attempt = async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ProviderError('rate_limited', { retryAfterMs: 0 });
    };
    const provider = new ScriptedProvider(excuse, answer);
    expect((await call(provider, SOON, real)).outcome).toMatchObject({ failure: { code: 'timeout' }, attempts: 1 });
    expect(provider.calls).toHaveLength(1);
  });

  test('is EVAL_TIMEOUT_MS where that is shorter than MODEL_TIMEOUT_MS', async () => {
    const { outcome } = await call(
      new ScriptedProvider(silence),
      { EVAL_TIMEOUT_MS: '50', MODEL_TIMEOUT_MS: '20000' },
      real,
    );
    expect(outcome).toMatchObject({ failure: { code: 'timeout' }, attempts: 1 });
    expect((outcome as Failed).latencyMs).toBeLessThan(10_000);
  });

  test('covers all attempts together', async () => {
    const provider = new ScriptedProvider(fail('overloaded'), fail('overloaded'), silence);
    expect((await call(provider, { MODEL_TIMEOUT_MS: '4000', MAX_VENDOR_RETRIES: '5' }, real)).outcome).toMatchObject({
      failure: { code: 'timeout' },
      attempts: 3,
    });
  });
});
