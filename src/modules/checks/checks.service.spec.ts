import { TaskError, type ThreadPoolService, type ThreadTask } from '../../platform/background/thread-pool.service';
import type { Clock } from '../../common/clock';
import type { CheckTask, ThreadAnswer } from './check-task';
import { ChecksService } from './checks.service';
import type { Check } from './types';

const FIELDS = { weight: 1, not: false };
const EQUALS: Check = { ...FIELDS, name: 'equals', type: 'equals', value: 'a', ignore_case: false, trim: true };
const REGEX: Check = { ...FIELDS, name: 'regex', type: 'regex', pattern: 'a', flags: '' };
const SCHEMA: Check = { ...FIELDS, name: 'schema', type: 'json', schema: {}, allow_fence: true };
const JSON_ALONE: Check = { ...FIELDS, name: 'json', type: 'json', allow_fence: true };
const SIMILAR: Check = { ...FIELDS, name: 'similar', type: 'similarity', value: 'a', min: 0, metric: 'token_f1' };

/** A service whose thread pool answers like this, and what it was asked. `ms` is the time that a task takes. */
function serviceWith(
  answerOf: (task: CheckTask, index: number) => ThreadAnswer | TaskError['reason'],
  ms: (task: CheckTask) => number = () => 0,
) {
  const [asked, users, given]: [CheckTask[], string[], ThreadTask[]] = [[], [], []];
  let nowMs = 0;
  const threads = {
    run: (userId: string, task: ThreadTask) => {
      users.push(userId);
      given.push(task);
      const input = task.input as CheckTask;
      asked.push(input);
      nowMs += ms(input);
      if (task.meter !== undefined) task.meter.usedMs += ms(input);
      const answer = answerOf(input, asked.length - 1);
      return typeof answer === 'string' ? Promise.reject(new TaskError(answer)) : Promise.resolve(answer);
    },
  };
  const service = new ChecksService(threads as unknown as ThreadPoolService, { monotonicMs: () => nowMs } as Clock);
  return { service, asked, users, given };
}

describe('Checks before anything is called', () => {
  it('are compiled where they have a pattern or a schema, and only there', async () => {
    const { service, asked, users } = serviceWith(() => ({}));
    await service.refuseUnusable('user', [EQUALS, REGEX, JSON_ALONE, SCHEMA, SIMILAR]);
    expect([asked, users]).toEqual([
      [
        { kind: 'try', check: REGEX },
        { kind: 'try', check: SCHEMA },
      ],
      ['user', 'user'],
    ]);
  });

  test.each<[string, ThreadAnswer | TaskError['reason'], object]>([
    [
      'that cannot be used',
      { problem: ' is not a pattern' },
      { code: 'invalid_request', message: 'checks[1].pattern is not a pattern.', param: 'checks[1].pattern' },
    ],
    [
      'that takes too much',
      'memory',
      {
        code: 'invalid_request',
        message: 'checks[1].pattern takes too much time or memory to compile.',
        param: 'checks[1].pattern',
      },
    ],
    ['when the service stops', 'stopping', { code: 'overloaded' }],
    [
      'that takes too long',
      'timeout',
      {
        code: 'invalid_request',
        message: 'checks[1].pattern takes too much time or memory to compile.',
        param: 'checks[1].pattern',
      },
    ],
    [
      'for which there is no time',
      'busy',
      {
        code: 'overloaded',
        message: 'Too many checks are being compiled; nothing was run or charged. Try again after Retry-After seconds.',
        retryAfterSeconds: 2,
      },
    ],
  ])('are refused for one %s', async (_, answer, error) => {
    await expect(serviceWith(() => answer).service.refuseUnusable('user', [EQUALS, REGEX])).rejects.toMatchObject(
      error,
    );
  });

  it('are refused for the schema that cannot be used, by its own position', async () => {
    const { service } = serviceWith((_, index) => (index === 1 ? { problem: ' is none' } : {}));
    await expect(service.refuseUnusable('user', [REGEX, EQUALS, SCHEMA])).rejects.toMatchObject({
      message: 'checks[2].schema is none.',
      param: 'checks[2].schema',
    });
  });
});

describe('The verdicts of checks', () => {
  it('are in the order of the answers and checks, in every thread', async () => {
    const { service, asked } = serviceWith((task) => ({
      isMet: task.kind === 'decide' && task.text === 'a',
      observed: 'No.',
    }));
    const verdicts = await service.verdicts(
      'user',
      [REGEX, EQUALS, SIMILAR],
      [{ text: 'a' }, undefined, { text: 'b' }],
    );
    expect(verdicts.map((ofAnswer) => ofAnswer.map(({ name, outcome }) => `${name} ${outcome}`))).toEqual([
      ['regex pass', 'equals pass', 'similar pass'],
      ['regex skipped', 'equals skipped', 'similar skipped'],
      ['regex fail', 'equals fail', 'similar fail'],
    ]);
    expect(asked.map((task) => task.kind === 'decide' && [task.check.name, task.text])).toEqual([
      ['regex', 'a'],
      ['similar', 'a'],
      ['regex', 'b'],
      ['similar', 'b'],
    ]);
  });

  it('are errors where the thread could not decide, or says nothing of it', async () => {
    const { service } = serviceWith((_, index) => (index === 0 ? 'timeout' : {}));
    const [verdicts] = await service.verdicts('user', [REGEX, SIMILAR], [{ text: 'a' }]);
    expect(verdicts).toEqual([
      { name: 'regex', type: 'regex', outcome: 'error', score: null, reason: 'It took longer than 500 ms.' },
      { name: 'similar', type: 'similarity', outcome: 'error', score: null, reason: 'It could not be decided.' },
    ]);
  });

  it.each<[TaskError['reason'], string]>([
    ['timeout', 'It took longer than 500 ms.'],
    ['memory', 'It took more memory than a check may take.'],
    ['stopping', 'The service is stopping.'],
    ['busy', 'Too many checks were waiting.'],
    ['failed', 'It could not be decided.'],
  ])('give the reason when a task ends with %s', async (reason, said) => {
    const [verdicts] = await serviceWith(() => reason).service.verdicts('user', [REGEX], [{ text: 'a' }]);
    expect(verdicts).toEqual([{ name: 'regex', type: 'regex', outcome: 'error', score: null, reason: said }]);
  });

  const reasons = async (service: ChecksService, checks: Check[], text = 'a') =>
    (await service.verdicts('user', checks, [{ text }])).flat().map(({ outcome, reason = outcome }) => reason);

  it('leave out the rest once the checks of a call have taken four times as long as one may', async () => {
    const { service, asked } = serviceWith(
      () => ({ isMet: true, observed: '' }),
      () => 500,
    );
    expect(await reasons(service, new Array<Check>(8).fill(REGEX))).toEqual([
      ...new Array<string>(5).fill('pass'),
      ...new Array<string>(3).fill('It was not looked at, because the checks before it took too long.'),
    ]);
    expect(asked).toHaveLength(5);
  });

  it('wait ten times as long as a check may take, all together, their own time not counted', async () => {
    const { service, given } = serviceWith(
      (_, index) => (index === 1 ? 'busy' : { isMet: true, observed: '' }),
      () => 100,
    );
    expect(await reasons(service, [REGEX, SIMILAR, REGEX])).toEqual([
      'pass',
      'Too many checks were waiting.',
      'Too many checks were waiting.',
    ]);
    expect(given.map(({ maxWaitMs, timeoutMs }) => [maxWaitMs, timeoutMs])).toEqual([
      [5000, 500],
      [5000, 500],
    ]);
  });

  it('of many long answers are made in the thread pool beyond a number of characters, however long they take there', async () => {
    const { service, asked, given } = serviceWith(
      () => ({ isMet: true, observed: '' }),
      () => 1000,
    );
    expect(await reasons(service, new Array<Check>(20).fill(EQUALS), 'x'.repeat(32_768))).toEqual([
      ...new Array<string>(8).fill(expect.stringContaining('It is "')),
      ...new Array<string>(12).fill('pass'),
    ]);
    expect([asked.length, new Set(given.map(({ timeoutMs }) => timeoutMs))]).toEqual([12, new Set([30_000])]);
  });
});
