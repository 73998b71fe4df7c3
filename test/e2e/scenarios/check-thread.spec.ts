import { createCaller, type Caller } from '../../support/factories';
import type { Json } from '../../support/api';
import { Pinger } from '../../support/pinger';
import { startService } from '../../support/service';
import { leastWithin } from '../../support/timing';
import { worker } from '../../support/worker';

/** A pattern within all bounds that takes RE2 several times as long as a check may take, however warm its code is. */
const SLOW = { type: 'regex', pattern: '(?i)[xya][a-y]{0,990}b$' };

/** Letters in no order, always the same ones. */
function letters(count: number): string {
  let [text, seed] = ['', 1];
  while (text.length < count) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += 'xyab'[(seed >> 16) & 3] ?? '';
  }
  return text;
}
const TEXT = `${letters(65_535)}!`;

/** As many as the pings of one test need, which one user may not send within a minute. */
const severalCallers = () => Promise.all(Array.from({ length: 4 }, () => createCaller()));

describe('A pattern that takes long', () => {
  let slow: Caller;
  let others: Caller[];
  beforeAll(async () => {
    [slow, others] = [await createCaller(), await severalCallers()];
  });

  const check = async (caller: Caller, checks: object[], output: string) =>
    (await caller.post('/api/v1/checks', { checks, output })).body.verdicts as Json[];

  it('is ended by its deadline, with the verdict error, while others wait a fraction of that', async () => {
    const pinger = new Pinger({
      url: worker().serviceUrl,
      keys: others.map(({ key }) => key ?? ''),
      paths: ['/api/v1/models'],
    });
    const longestShare = async () => {
      let verdicts: Json[] = [];
      const startedMs = performance.now();
      const longestMs = await pinger.during(async () => {
        verdicts = await check(slow, [SLOW], TEXT);
      });
      expect(verdicts).toEqual([
        { name: 'regex-1', type: 'regex', outcome: 'error', score: null, reason: 'It took longer than 500 ms.' },
      ]);
      return longestMs / (performance.now() - startedMs);
    };
    // On the event loop, this would block it for all that time.
    expect(await leastWithin(0.5, longestShare)).toBeLessThanOrEqual(0.5);
    await pinger.stop();
  });

  it('does not go on for as many checks as there are: they share a time', async () => {
    const verdicts = await check(
      slow,
      Array.from({ length: 20 }, (_, index) => ({ ...SLOW, name: `slow-${index}` })),
      TEXT,
    );
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(verdicts.map(() => 'error'));
    expect(new Set(verdicts.map(({ reason }) => reason))).toEqual(
      new Set(['It took longer than 500 ms.', 'It was not looked at, because the checks before it took too long.']),
    );
  });

  it('makes no check of another user an error: each deadline begins with its own check', async () => {
    const busy = Promise.all(Array.from({ length: 3 }, () => check(slow, [SLOW, { ...SLOW, name: 'again' }], TEXT)));
    const quick = Array.from({ length: 10 }, (_, index) => ({
      type: 'regex',
      name: `quick-${index}`,
      pattern: `a{${index}}`,
    }));
    // Where the machine stops for half a second in the middle of one, that one is asked again.
    const missed = async () =>
      (await check(others[0] as Caller, quick, 'aaaaaaaaaa')).filter(({ outcome }) => outcome !== 'pass').length;
    for (let round = 0; round < 3; round += 1) expect(await leastWithin(0, missed)).toBe(0);
    expect((await busy).flat().map(({ outcome }) => outcome)).toEqual(Array(6).fill('error'));
  });

  it('does not keep the process from ending', async () => {
    const service = await startService({ DATABASE_URL: worker().databaseUrl });
    const caller = slow.at(service.url);
    const answered = check(caller, [SLOW, { ...SLOW, name: 'again' }], TEXT).catch(() => undefined);
    await check(caller, [{ type: 'regex', pattern: 'a' }], 'a');
    expect(await service.stop()).toBe(0);
    await answered;
  });
});

describe('The memory of the thread', () => {
  it('is bounded: a schema that needs more is refused in words, and the thread after it decides as before', async () => {
    const caller = await createCaller();
    const check = (schema: object) =>
      caller.post('/api/v1/checks', { checks: [{ type: 'json', schema }], output: '{}' });
    // Few characters, of which ajv makes many megabytes of code: all properties once for each reference.
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'string', minLength: 1 }]),
    );
    const { status, body } = await check({
      $defs: { a: { properties } },
      allOf: Array.from({ length: 600 }, () => ({ $ref: '#/$defs/a' })),
    });
    expect([status, body.error.code, body.error.param, body.error.message]).toEqual([
      400,
      'invalid_request',
      'checks[0].schema',
      'checks[0].schema takes too much time or memory to compile.',
    ]);
    expect((await check({ type: 'object' })).body.passed).toBe(true);
  });
});

describe('Checks of texts as long as they may be', () => {
  const MAX = 128_000;
  it.each<[string, object, string]>([
    ['the last number', { type: 'number', value: 1 }, '1 '.repeat(MAX / 2)],
    ['a number where there is none', { type: 'number', value: 1, which: 'only' }, '1/'.repeat(MAX / 2)],
    ['words', { type: 'length', min: 1, unit: 'words' }, 'a '.repeat(MAX / 2)],
    ['JSON', { type: 'json' }, `[${'1,'.repeat(MAX / 2 - 2)}1]`],
  ])('(%s) let others have their turn, eight times twenty of them at once', async (_, check, output) => {
    const [busy, others] = [await createCaller(), await severalCallers()];
    const pinger = new Pinger({
      url: worker().serviceUrl,
      keys: others.map(({ key }) => key ?? ''),
      paths: ['/api/v1/models'],
    });
    const during = (given: object) =>
      pinger.during(async () => {
        const checks = Array.from({ length: 20 }, (__, index) => ({ ...given, name: `check-${index}` }));
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => busy.post('/api/v1/checks', { checks, output })),
        );
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      });
    // The same bodies with checks that read nothing, on the same machine; a short wait counts as 50 ms.
    const idleMs = Math.max(50, await leastWithin(50, () => during({ type: 'latency', max_ms: 1 })));
    const ratio = async () => (await during(check)) / idleMs;
    expect(await leastWithin(3, ratio)).toBeLessThanOrEqual(3);
    await pinger.stop();
  });
});
