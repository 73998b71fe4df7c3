import type { Check } from './check';
import type { CheckThreadService, Undecided } from './check-thread.service';
import { ChecksService } from './checks.service';
import type { ThreadAnswer, ThreadTask } from './threaded-checks';

const FIELDS = { weight: 1, not: false };
const EQUALS: Check = { ...FIELDS, name: 'equals', type: 'equals', value: 'a', ignore_case: false, trim: true };
const REGEX: Check = { ...FIELDS, name: 'regex', type: 'regex', pattern: 'a', flags: '' };
const SCHEMA: Check = { ...FIELDS, name: 'schema', type: 'json', schema: {}, allow_fence: true };
const JSON_ALONE: Check = { ...FIELDS, name: 'json', type: 'json', allow_fence: true };
const SIMILAR: Check = { ...FIELDS, name: 'similar', type: 'similarity', value: 'a', min: 0, metric: 'token_f1' };

/** A service whose thread answers like this, and what it was asked. */
function serviceWith(answerOf: (task: ThreadTask, index: number) => ThreadAnswer | Undecided): { service: ChecksService; asked: ThreadTask[]; users: string[] } {
  const asked: ThreadTask[] = [];
  const users: string[] = [];
  const thread = {
    run: (userId: string, tasks: readonly ThreadTask[]) => {
      users.push(userId);
      asked.push(...tasks);
      return Promise.resolve(tasks.map(answerOf));
    },
  };
  return { service: new ChecksService(thread as unknown as CheckThreadService), asked, users };
}

describe('Checks before anything is called', () => {
  it('are compiled where they have a pattern or a schema, and only there', async () => {
    const { service, asked, users } = serviceWith(() => ({}));
    await service.refuseUnusable('user', [EQUALS, REGEX, JSON_ALONE, SCHEMA, SIMILAR]);
    expect([asked, users]).toEqual([[{ kind: 'try', check: REGEX }, { kind: 'try', check: SCHEMA }], ['user']]);
  });

  test.each<[string, ThreadAnswer | Undecided, object]>([
    ['that cannot be used', { problem: ' is not a pattern' }, { code: 'invalid_request', message: 'checks[1].pattern is not a pattern.', param: 'checks[1].pattern' }],
    ['that takes too long or too much', { undecided: 'It took longer than 2000 ms.' }, { code: 'invalid_request', message: 'checks[1].pattern takes too much time or memory to compile.', param: 'checks[1].pattern' }],
    ['for which there is no time', { undecided: 'Too many checks were waiting.', isBusy: true }, { code: 'overloaded', message: 'Too many checks are being compiled; nothing was run or charged. Try again after Retry-After seconds.', retryAfterSeconds: 2 }],
  ])('are refused for one %s', async (_, answer, error) => {
    await expect(serviceWith(() => answer).service.refuseUnusable('user', [EQUALS, REGEX])).rejects.toMatchObject(error);
  });

  it('are refused for the schema that cannot be used, by its own position', async () => {
    const { service } = serviceWith((_, index) => (index === 1 ? { problem: ' is none' } : {}));
    await expect(service.refuseUnusable('user', [REGEX, EQUALS, SCHEMA])).rejects.toMatchObject({ message: 'checks[2].schema is none.', param: 'checks[2].schema' });
  });
});

describe('The verdicts of checks', () => {
  it('are in the order of the answers and checks, in every thread', async () => {
    const { service, asked } = serviceWith((task) => ({ isMet: task.kind === 'decide' && task.text === 'a', observed: 'No.' }));
    const verdicts = await service.verdicts('user', [REGEX, EQUALS, SIMILAR], [{ text: 'a' }, undefined, { text: 'b' }]);
    expect(verdicts.map((ofAnswer) => ofAnswer.map(({ name, outcome }) => `${name} ${outcome}`))).toEqual([
      ['regex pass', 'equals pass', 'similar pass'], ['regex skipped', 'equals skipped', 'similar skipped'], ['regex fail', 'equals fail', 'similar fail'],
    ]);
    expect(asked.map((task) => task.kind === 'decide' && [task.check.name, task.text])).toEqual([['regex', 'a'], ['similar', 'a'], ['regex', 'b'], ['similar', 'b']]);
  });

  it('are errors where the thread could not decide, or says nothing of it', async () => {
    const { service } = serviceWith((_, index): ThreadAnswer | Undecided => (index === 0 ? { undecided: 'It took longer than 500 ms.' } : {}));
    const [verdicts] = await service.verdicts('user', [REGEX, SIMILAR], [{ text: 'a' }]);
    expect(verdicts).toEqual([
      { name: 'regex', type: 'regex', outcome: 'error', score: null, reason: 'It took longer than 500 ms.' }, { name: 'similar', type: 'similarity', outcome: 'error', score: null, reason: 'It could not be decided.' },
    ]);
  });

  /** The turns of the event loop while `calls` calls are decided at the same time, each of these checks on these answers. */
  async function turnsOf(calls: number, checks: Check[], lengths: number[]): Promise<number> {
    const { service } = serviceWith(() => ({}));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: calls }, () => service.verdicts('user', checks, lengths.map((length) => ({ text: 'x'.repeat(length) })))));
    isDone = true;
    return turns;
  }

  it('of many long answers are made in several turns of the event loop, those of short ones in one', async () => {
    const long = new Array<number>(20).fill(40_000);
    expect([await turnsOf(1, [EQUALS, JSON_ALONE], long.map(() => 100)) <= 1, await turnsOf(1, [EQUALS, JSON_ALONE], long) >= 19]).toEqual([true, true]);
  });

  it('of one long answer are made in a turn each, over all calls at the same time', async () => {
    expect(await turnsOf(1, new Array<Check>(20).fill(EQUALS), [65_537])).toBeGreaterThanOrEqual(19);
    expect(await turnsOf(8, new Array<Check>(20).fill(EQUALS), [65_537])).toBeGreaterThanOrEqual(8 * 20 - 1);
  });
});
