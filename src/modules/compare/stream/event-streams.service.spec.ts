import { EventEmitter } from 'node:events';
import type { AuthService } from '../../auth/auth.service';
import { Metrics } from '../../../platform/observability/metrics';
import type { EvalStatisticsService } from '../../analysis/eval-statistics.service';
import type { ActiveComparesService } from '../../execution/active-compares.service';
import type { CompareOutcome, OnCompareEvent } from '../../execution/compare.types';
import type { CompareExchange } from '../compare-exchange';
import { EventStreamsService } from './event-streams.service';

/** A response that keeps what is written to it. */
class FakeResponse extends EventEmitter {
  destroyed = false;
  text = '';
  isEnded = false;

  writeHead(): void {}

  write(chunk: string): boolean {
    this.text += chunk;
    return true;
  }

  end(chunk: string): void {
    this.text += chunk;
    this.isEnded = true;
  }

  get names(): (string | undefined)[] {
    return [...this.text.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name);
  }
}

/** Streams that run until their test ends them; `findEnded` says which keys are revoked, and is asked for which. */
function streamsOf(findEnded: (keyIds: readonly string[]) => Promise<Set<string>>) {
  const asked: (readonly string[])[] = [];
  const auth = {
    findEnded: (keyIds: readonly string[]) => (asked.push(keyIds), findEnded(keyIds)),
  } as unknown as AuthService;
  const evals = { present: async () => ({ eval_id: 'eval_1' }) } as unknown as EvalStatisticsService;
  const service = new EventStreamsService(auth, evals, new Metrics(), {} as ActiveComparesService);
  const open = (keyId: string) => {
    const response = new FakeResponse();
    const reply = {
      raw: response,
      statusCode: 200,
      getHeaders: () => ({}),
      type: () => reply,
      header: () => reply,
      hijack: () => reply,
    };
    const request = { id: 'req_1', caller: { keyId } };
    const end = Promise.withResolvers<CompareOutcome>();
    let say: OnCompareEvent = () => undefined;
    const over = service.send(
      (onEvent) => {
        say = onEvent;
        onEvent({ type: 'eval-started', evalId: 'eval_1', models: ['a'] });
        return end.promise;
      },
      { request, reply, include: {} } as unknown as CompareExchange,
    );
    const finish = async () => {
      end.resolve({ stored: { record: { id: 'eval_1' } }, isReplay: false } as unknown as CompareOutcome);
      await over;
    };
    return { response, request, finish, say: (text: string) => say({ type: 'delta', model: 'a', text }) };
  };
  return { open, asked };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('EventStreamsService', () => {
  it('ends the streams of a revoked key within a second, with nothing after the error, and no others', async () => {
    const revoked = new Set<string>();
    const { open, asked } = streamsOf(async () => revoked);
    const [first, second, other] = [open('key_1'), open('key_1'), open('key_2')];
    for (const { say } of [first, second, other]) say('1');
    await jest.advanceTimersByTimeAsync(1001);
    revoked.add('key_1');
    // The rest of the second is for the database.
    await jest.advanceTimersByTimeAsync(500);
    for (const { say } of [first, second, other]) say('3');
    await jest.advanceTimersByTimeAsync(1000);
    for (const { finish } of [first, second, other]) await finish();
    for (const {
      response: { names, isEnded, text },
      request,
    } of [first, second]) {
      expect([names.at(-1), names.includes('eval'), isEnded, text.includes('"text":"3"')]).toEqual([
        'error',
        false,
        true,
        false,
      ]);
      expect([text.includes('"code":"unauthorized"'), request]).toEqual([
        true,
        expect.objectContaining({ errorCode: 'unauthorized' }),
      ]);
    }
    expect([other.response.names.at(-1), other.response.text.includes('"text":"3"')]).toEqual(['eval', true]);
    // One look-up for all streams, each key once, without the streams already ended.
    expect([asked[0], asked.at(-1)]).toEqual([['key_1', 'key_2'], ['key_2']]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('asks once at a time, and goes on while the database does not answer', async () => {
    const answers: PromiseWithResolvers<Set<string>>[] = [];
    const { open, asked } = streamsOf(() => {
      const answer = Promise.withResolvers<Set<string>>();
      answers.push(answer);
      return answer.promise;
    });
    const { response, finish } = open('key_1');
    await jest.advanceTimersByTimeAsync(5000);
    expect(asked).toHaveLength(1);
    answers[0]?.reject(new Error('The database is unreachable.'));
    await jest.advanceTimersByTimeAsync(500);
    expect([asked.length, response.isEnded]).toEqual([2, false]);
    answers[1]?.resolve(new Set(['key_1']));
    await jest.advanceTimersByTimeAsync(0);
    expect([response.names, response.isEnded]).toEqual([['eval-started', 'error'], true]);
    await finish();
  });
});
