import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import type { Json } from '../../support/api';
import { hasTerminals, startMcs } from '../../support/client-package';
import { createCaller, eventually, type Caller } from '../../support/factories';
import { mcs, variables } from '../../support/mcs';
import { temporaryFolder } from '../../support/temporary-folder';

const TWO = ['-m', 'sim-swift,sim-quill'];
const PARIS = '[[sim-swift:say=Paris]][[sim-quill:say=It is Lyon, I think]] Capital of France?';
const MISSING = 'eval_01k9z3t5v7x9b1d3f5h7k9m1n3';

/** The cells of what went into a pipe, line by line. */
const cellsOf = (out: string): string[][] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
const withoutRequest = (errors: string) => errors.replace(/\nRequest req_\w+\n$/, '\n');

async function comparedBy(caller: Caller, ...args: string[]): Promise<string> {
  return JSON.parse((await mcs(caller, ['compare', PARIS, ...TWO, ...args, '--json'])).out).eval_id;
}

describe('mcs compare with samples and checks', () => {
  const CHECKED = ['--samples', '3', '--check', 'contains=Paris', '--check', 'brief:length=..2words'];

  it('prints a line for each call, with its sample and its verdicts, and ends with 8 for a failed check where that is asked for', async () => {
    const caller = await createCaller();
    const ended = await mcs(caller, ['compare', PARIS, ...TWO, ...CHECKED, '--fail-on-check']);
    const [head = [], ...lines] = cellsOf(ended.out);
    expect([ended.code, ended.errors, head]).toEqual([
      8,
      '6 calls: $0.000119 to $0.011.\n',
      [
        'model',
        'sample',
        'status',
        'latency_ms',
        'ttft_ms',
        'tokens_per_second',
        'input_tokens',
        'output_tokens',
        'cost_usd',
        'checks',
        'output',
      ],
    ]);
    const [swift, quill] = [
      ['ok', 'contains-1 pass, brief pass', 'Paris'],
      ['ok', 'contains-1 fail, brief fail', 'It is Lyon, I think'],
    ];
    expect(lines.map(([model, sample, status, ...rest]) => [model, sample, status, ...rest.slice(-2)])).toEqual(
      ['1', '2', '3'].flatMap((sample) => [
        ['sim-swift', sample, ...swift],
        ['sim-quill', sample, ...quill],
      ]),
    );
    expect((await mcs(caller, ['compare', PARIS, ...TWO, ...CHECKED])).code).toBe(0);
    expect((await mcs(caller, ['compare', PARIS, '-m', 'sim-swift', ...CHECKED, '--fail-on-check'])).code).toBe(0);
  });

  it('prints the JSON of the API with verdicts and statistics, or the events with their samples', async () => {
    const caller = await createCaller();
    const whole = (await mcs(caller, ['compare', PARIS, ...TWO, ...CHECKED, '--json'])).out.trimEnd();
    const { eval_id: id } = JSON.parse(whole);
    expect(whole).toBe((await caller.get(`/api/v1/evals/${id}?include=checks,statistics`)).text);
    const detailed = (
      await mcs(caller, ['eval', id, '--json', '--include', 'details, checks,statistics'])
    ).out.trimEnd();
    expect(detailed).toBe((await caller.get(`/api/v1/evals/${id}?include=details,checks,statistics`)).text);
    const events: Json[] = (await mcs(caller, ['compare', PARIS, ...TWO, ...CHECKED, '--jsonl', '--details'])).out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const samples = events.filter(({ event }) => event === 'result').map(({ data }) => data.sample);
    expect([samples, Object.keys(events.at(-1)?.data)]).toEqual([
      [0, 0, 1, 1, 2, 2],
      ['eval_id', 'prompt', 'models', 'results', 'meta', 'details', 'checks', 'statistics'],
    ]);
    const plain: Json = JSON.parse((await mcs(caller, ['compare', PARIS, ...TWO, '--json'])).out);
    expect(Object.keys(plain)).toEqual(['eval_id', 'prompt', 'models', 'results', 'meta']);
  });

  it.each<[number, string, string[]]>([
    [
      0,
      'a failed model has not failed a check',
      ['[[sim-quill:fail]] [[sim:say=Paris]]', '--check', 'contains=Paris', '--fail-on-check'],
    ],
    [
      3,
      'failed models come before failed checks',
      ['[[sim-quill:fail]]', '--check', 'contains=Paris', '--fail-on-check', '--fail-on', 'any'],
    ],
    [3, 'all models failed', ['[[sim:fail]]', '--samples', '2', '--check', 'contains=Paris', '--fail-on-check']],
    [
      8,
      'failed checks come before slow models',
      [PARIS, '--check', 'contains=Paris', '--fail-on-check', '--max-latency', '0'],
    ],
    [
      7,
      'no check failed, but a model was slow',
      [PARIS, '--check', 'not-contains=London', '--fail-on-check', '--max-latency', '0'],
    ],
    [5, 'samples could cost more than allowed', [PARIS, '--samples', '10', '--max-cost', '0.005']],
    [0, 'one sample could not', [PARIS, '--max-cost', '0.005']],
    [8, 'a pattern is wrong about the text', [PARIS, '--check', 'not-regex=^P.*s$', '--fail-on-check']],
  ])('ends with %i where %s', async (code, _name, [prompt = '', ...args]) => {
    const caller = await createCaller();
    expect((await mcs(caller, ['compare', prompt, ...TWO, ...args])).code).toBe(code);
  });

  it('takes its checks from a file, too', async () => {
    const caller = await createCaller();
    const [file, schema] = ['checks.json', 'schema.json'].map((name) => join(temporaryFolder(), name)) as [
      string,
      string,
    ];
    writeFileSync(file, '[{"type":"equals","value":"Paris","name":"exact"}]');
    writeFileSync(schema, '{"type":"string"}');
    const { out } = await mcs(caller, [
      'compare',
      PARIS,
      '-m',
      'sim-swift',
      '--checks',
      file,
      '--check',
      `json=${schema}`,
    ]);
    expect(cellsOf(out)[1]?.slice(-2)).toEqual(['exact pass, json-2 fail', 'Paris']);
  });
});

describe('mcs refuses, and nothing is stored,', () => {
  const many = Array.from({ length: 21 }, (_, i) => ['--check', `contains=${i}`]).flat();
  const TYPES = 'equals, contains, label, regex, json, number, length, similarity, latency, cost, finished';

  it.each<[string[], string]>([
    [['--samples', '0'], '--samples must be a whole number from 1 to 50. (invalid_request)'],
    [
      ['--samples', '11'],
      '--samples must be a whole number from 1 to 10; up to 50 are possible with --background. (invalid_request)',
    ],
    [['--samples', '51', '--background'], '--samples must be a whole number from 1 to 50. (invalid_request)'],
    [['--samples', '1.5'], '--samples must be a whole number from 1 to 50. (invalid_request)'],
    [['--samples', 'many'], '--samples must be a number that is not negative.'],
    [['--samples=-1'], '--samples must be a number that is not negative.'],
    [
      ['--check', 'rubric=nice'],
      `--check must be TYPE=VALUE, where TYPE is one of ${TYPES}. The prefix not- negates it; the prefix NAME: names it.`,
    ],
    [
      ['--check', '{"type":"rubric"}'],
      'checks[0].type must not be rubric here: one verdict of a judge on one answer decides nothing; POST /experiments takes rubrics, for the rows of a data set. (invalid_request)',
    ],
    [['--check', 'contains'], '--check is written contains=TEXT.'],
    [['--check', '{"type":"contains"}'], 'checks[0].values is required. (invalid_request)'],
    [['--check', 'regex=('], 'checks[0].pattern is not a pattern of RE2: missing closing ). (invalid_request)'],
    [['--check', 'length=5..2'], 'checks[0].max must not be less than min. (invalid_request)'],
    [['--check', 'length=..'], 'checks[0] needs min or max. (invalid_request)'],
    [
      ['--check', 'a:contains=x', '--check', 'a:finished'],
      'checks[1].name must be unique; [0] has the same. (invalid_request)',
    ],
    [many, 'checks must be an array of 1 to 20 checks. (invalid_request)'],
    [['--fail-on-check'], '--fail-on-check needs a --check.'],
    [['--checks', '/no/such/file'], 'There is no file /no/such/file.'],
    [['--json', '--jsonl'], 'Choose --json or --jsonl.'],
    ...[
      ['--fail-on-check', '--check', 'finished'],
      ['--fail-on', 'any'],
      ['--max-latency', '5'],
    ].map((judged): [string[], string] => [
      ['--background', ...judged],
      '--background has no result to judge yet: use --fail-on, --fail-on-check and --max-latency with mcs run ID --wait.',
    ]),
  ])('compare %j', async (args, sentence) => {
    const caller = await createCaller();
    const { code, out, errors } = await mcs(caller, ['compare', 'x', '-m', 'sim-swift', ...args]);
    expect([code, out, withoutRequest(errors)]).toEqual([2, '', `mcs: ${sentence}\n`]);
    expect([
      (await caller.get('/api/v1/evals')).body.evals,
      (await caller.get('/api/v1/runs')).body.runs,
      (await caller.usage()).eval_count,
    ]).toEqual([[], [], 0]);
  });

  it.each<[string[], string]>([
    [['agreement', MISSING], 'No eval with this id exists. (not_found)'],
    [['projection', MISSING], 'No eval with this id exists. (not_found)'],
    [['rerun', MISSING], 'No eval with this id exists. (not_found)'],
    [['drift', MISSING, '--against', MISSING], 'No eval with this id exists. (not_found)'],
    [
      ['drift', MISSING, '--against', 'eval_x'],
      'against must be an eval id such as eval_01k9z3t5v7x9b1d3f5h7k9m1n3. (invalid_request)',
    ],
    [['rerun', MISSING, '--fail-on', 'some'], '--fail-on must be any or all.'],
    [['projection', MISSING, '--calls', 'x'], '--calls must be a number that is not negative.'],
    [['run', 'run_x'], 'No run with this id exists. (not_found)'],
    [['run', 'run_x', '--wait'], 'No run with this id exists. (not_found)'],
    [['run', 'run_x', '--cancel'], 'No run with this id exists. (not_found)'],
    [['run', 'run_x', '--wait', '--cancel'], 'Choose --wait or --cancel.'],
    [['run', 'run_x', '--fail-on-check'], '--fail-on, --fail-on-check and --max-latency need --wait.'],
    [['runs', '-n', 'x'], '--number must be a number that is not negative.'],
    [['share', MISSING], 'No eval with this id exists. (not_found)'],
    [
      ['share', MISSING, '--redact', 'all'],
      'redact[0] must be one of prompt, outputs, costs, models. (invalid_request)',
    ],
    [['share', MISSING, '--days', '0'], 'expires_in_days must be a whole number from 1 to 365. (invalid_request)'],
    [['share', MISSING, '--days', 'x'], '--days must be a number that is not negative.'],
    [['unshare', 'shr_x'], 'No share with this id exists. (not_found)'],
  ])('%j', async (args, sentence) => {
    const { code, out, errors } = await mcs(await createCaller(), args);
    expect([code, out, withoutRequest(errors)]).toEqual([2, '', `mcs: ${sentence}\n`]);
  });

  it('a sample that there is not, parts that cannot be included, and a drift from nothing', async () => {
    const caller = await createCaller();
    const id = await comparedBy(caller, '--samples', '2');
    const said = async (...args: string[]) => withoutRequest((await mcs(caller, args)).errors);
    for (const sample of ['0', '3', '1.5'])
      expect(await said('eval', id, '--sample', sample)).toBe('mcs: --sample must be from 1 to 2.\n');
    expect(await said('eval', id, '--diff', 'sim-swift,sim-quill', '--sample', '3')).toBe(
      'mcs: --sample must be from 1 to 2.\n',
    );
    expect(await said('eval', id, '--diff', 'sim-swift,nobody')).toBe(
      'mcs: nobody is not in this eval; it has sim-swift, sim-quill.\n',
    );
    expect(await said('eval', id, '--json', '--include', 'details,all')).toBe(
      'mcs: --include accepts details, checks, statistics.\n',
    );
    expect(await said('drift', id, '--against', id)).toBe(
      'mcs: against must be another eval than the one in the path. (invalid_request)\n',
    );
    expect(await said('drift', id)).toBe(
      'mcs: against is required, because this eval is not a rerun of another. (invalid_request)\n',
    );
  });
});

describe('mcs of a stored eval', () => {
  it('shows the sample that is wanted, and the figures of all', async () => {
    const caller = await createCaller();
    const { eval_id: id, results } = JSON.parse(
      (
        await mcs(caller, [
          'compare',
          '[[sim-swift:vary=20]] [[sim-quill:say=Paris]]',
          ...TWO,
          '--samples',
          '6',
          '--json',
        ])
      ).out,
    );
    const shown = await mcs(caller, ['eval', id, '--sample', '4', '--plain']);
    expect(shown.out).toContain(`Sample 4 of 6; mcs eval ${id} --sample N shows another.\n`);
    expect(shown.out.replace(/\s+/g, ' ')).toContain((results[6].output as string).replace(/\s+/g, ' '));
    const figures = cellsOf(shown.out)
      .filter(([model]) => model === 'sim-quill')
      .at(-1);
    expect(figures?.slice(0, 3)).toEqual(['sim-quill', '6', '0']);
    const compared = await mcs(caller, ['eval', id, '--diff', 'sim-quill,sim-quill', '--sample', '2']);
    expect(compared.out).toBe('sim-quill → sim-quill: 0 added, 0 removed\n\nParis\n');
  });

  it('says which models agree, what a month costs, and after another run what changed', async () => {
    const caller = await createCaller();
    const id = await comparedBy(caller, '--samples', '2', '--check', 'contains=Paris');
    const rerun = await mcs(caller, ['rerun', id, '--idempotency-key', 'again']);
    const again = /^To see what changed: mcs drift (eval_\w+)\n$/.exec(rerun.errors)?.[1] ?? '';
    expect([rerun.code, cellsOf(rerun.out).map(([model, sample]) => [model, sample])]).toEqual([
      0,
      [
        ['model', 'sample'],
        ['sim-swift', '1'],
        ['sim-quill', '1'],
        ['sim-swift', '2'],
        ['sim-quill', '2'],
      ],
    ]);
    const replayed = await mcs(caller, ['rerun', id, '--idempotency-key', 'again', '--fail-on-check', '--json']);
    expect([replayed.code, replayed.errors, replayed.out.trimEnd()]).toEqual([
      8,
      '',
      (await caller.get(`/api/v1/evals/${again}?include=details,checks`)).text,
    ]);
    expect((await mcs(caller, ['rerun', id, '--max-latency', '0'])).code).toBe(7);

    const agreement = await mcs(caller, ['agreement', id]);
    expect([agreement.code, agreement.errors, agreement.out]).toEqual([
      0,
      '',
      'model\tother\tagree\tsimilarity\nsim-swift\tsim-swift\t1\t1\nsim-swift\tsim-quill\t0\t0.105263\nsim-quill\tsim-quill\t1\t1\n',
    ]);
    const drift = await mcs(caller, ['drift', again]);
    expect([drift.code, cellsOf(drift.out).map(([model, output, similarity]) => [model, output, similarity])]).toEqual([
      0,
      [
        ['model', 'output', 'similarity'],
        ['sim-swift', 'same', '1'],
        ['sim-quill', 'same', '1'],
      ],
    ]);
    const projection = await mcs(caller, ['projection', id, '--calls', '50000']);
    expect([projection.code, cellsOf(projection.out).map((cells) => cells[2])]).toEqual([
      0,
      ['calls', '50000', '50000'],
    ]);
    for (const [args, path] of [
      [['agreement', id], `${id}/agreement`],
      [['drift', again, '--against', id], `${again}/drift?against=${id}`],
      [['projection', id], `${id}/projection`],
    ] as const) {
      expect((await mcs(caller, [...args, '--json'])).out.trimEnd()).toBe(
        (await caller.get(`/api/v1/evals/${path}`)).text,
      );
    }
  });

  it('is shared by a link that is printed alone, listed, and ended', async () => {
    const caller = await createCaller();
    const id = await comparedBy(caller);
    const { code, out, errors } = await mcs(caller, ['share', id, '--redact', ' prompt, models,', '--days', '7']);
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${caller.url}/shared/mcs_share_\\w+\n$`))]);
    expect((await fetch(out.trim())).status).toBe(200);
    const share = /^Anyone with this link can see it\. To revoke it: mcs unshare (shr_\w+)\n$/.exec(errors)?.[1] ?? '';
    expect(cellsOf((await mcs(caller, ['shares'])).out)).toEqual([
      ['share', 'subject', 'hides', 'expires', 'views', 'state'],
      [share, id, 'prompt,models', expect.stringMatching(/^\d{4}-.*Z$/), expect.any(String), 'live'],
    ]);
    expect(await mcs(caller, ['unshare', share])).toEqual({ code: 0, out: '', errors: 'The link no longer works.\n' });
    const listed: Json = JSON.parse((await mcs(caller, ['shares', '--json'])).out);
    expect(listed.shares).toMatchObject([{ share_id: share, subject: id, status: 'revoked' }]);
    const made: Json = JSON.parse((await mcs(caller, ['share', id, '--json'])).out);
    expect([made.share_id, made.url]).toEqual([
      expect.stringMatching(/^shr_/),
      expect.stringMatching(/^\/shared\/mcs_share_/),
    ]);
  });
});

describe('mcs compare --background', () => {
  const queued = async (caller: Caller, prompt: string, ...args: string[]): Promise<Json> =>
    JSON.parse((await mcs(caller, ['compare', prompt, ...TWO, ...args, '--background', '--json'])).out);

  it('names the run, which can be followed, waited for and listed', async () => {
    const caller = await createCaller();
    const { code, out, errors } = await mcs(caller, ['compare', PARIS, ...TWO, '--samples', '11', '--background']);
    const [runId, evalId] = [out.trimEnd(), /eval_\w+/.exec(errors)?.[0] ?? ''];
    expect([code, out, errors]).toEqual([
      0,
      expect.stringMatching(/^run_\w+\n$/),
      `22 calls: $0.000435 to $0.0403.\nThe service runs it in the background as ${evalId}. To wait for it: mcs run ${runId} --wait\n`,
    ]);
    const waited = await mcs(caller, ['run', runId, '--wait']);
    expect([waited.code, waited.errors, cellsOf(waited.out).length]).toEqual([0, '', 23]);
    const followed = await mcs(caller, ['run', runId]);
    expect([followed.code, cellsOf(followed.out).map(([what]) => what), cellsOf(followed.out)[2]]).toEqual([
      0,
      ['what', 'run', 'status', 'eval', 'created', 'started', 'finished', 'error'],
      ['status', 'succeeded'],
    ]);
    expect((await mcs(caller, ['run', runId, '--json'])).out.trimEnd()).toBe(
      (await caller.get(`/api/v1/runs/${runId}`)).text,
    );
    expect((await mcs(caller, ['run', runId, '--wait', '--json'])).out.trimEnd()).toBe(
      (await caller.get(`/api/v1/evals/${evalId}?include=details,checks,statistics`)).text,
    );
    await queued(caller, 'another');
    const [, , second] = cellsOf((await mcs(caller, ['runs'])).out);
    expect([second?.[0], second?.[3], cellsOf((await mcs(caller, ['runs', '-n', '1'])).out).length]).toEqual([
      runId,
      evalId,
      2,
    ]);
    expect(JSON.parse((await mcs(caller, ['runs', '--json'])).out).runs[1]).toMatchObject({
      run_id: runId,
      status: 'succeeded',
    });
  });

  it('with an Idempotency-Key is one run, however often it is sent', async () => {
    const caller = await createCaller();
    const [first, second] = [
      await queued(caller, 'once', '--idempotency-key', 'k'),
      await mcs(caller, ['compare', 'once', ...TWO, '--background', '--json', '--idempotency-key', 'k']),
    ];
    expect(second.out).toContain(first.eval_id);
    expect((await caller.get('/api/v1/runs')).body.runs).toHaveLength(1);
  });

  it.each<[number, string, string, string[], string[]]>([
    [8, 'a check failed', PARIS, ['--check', 'contains=Paris'], ['--fail-on-check']],
    [0, 'no failed check counts', PARIS, ['--check', 'contains=Paris'], []],
    [3, 'a model failed', '[[sim-quill:fail]]', [], ['--fail-on', 'any']],
    [7, 'a model was slow', PARIS, [], ['--max-latency', '0']],
  ])('is judged by mcs run --wait, which ends with %i where %s', async (code, _name, prompt, ordered, judged) => {
    const caller = await createCaller();
    const { run_id: id } = await queued(caller, prompt, ...ordered);
    expect((await mcs(caller, ['run', id, '--wait', ...judged])).code).toBe(code);
  });

  it('that fails is reported by mcs run --wait with the reason of each model, or of the limit', async () => {
    const caller = await createCaller();
    const { run_id: id } = await queued(caller, '[[sim:fail=rejected]]');
    const waited = await mcs(caller, ['run', id, '--wait']);
    expect([waited.code, waited.out, waited.errors]).toEqual([
      3,
      '',
      'mcs: All models failed; nothing was stored or charged. The details give the error of each model. (all_models_failed)\n  sim-swift: The vendor rejected the request. (rejected)\n  sim-quill: The vendor rejected the request. (rejected)\n',
    ]);
    expect(cellsOf((await mcs(caller, ['run', id])).out).at(-1)).toEqual([
      'error',
      'All models failed; nothing was stored or charged. The details give the error of each model.',
    ]);
    const poor = await createCaller({ freeQuota: 0, monthlySpendLimitUsd: 1e-6 });
    const unpaid = await mcs(poor, ['run', (await queued(poor, 'x')).run_id, '--wait']);
    expect([unpaid.code, unpaid.errors]).toEqual([5, expect.stringContaining('(spend_limit_reached)')]);
  });

  it('that has begun is not taken out of the queue', async () => {
    const caller = await createCaller();
    const { run_id: id } = await queued(caller, '[[sim:slow=60000]]');
    await eventually('it runs', async () => (await caller.get(`/api/v1/runs/${id}`)).body.status === 'running');
    const { code, out, errors } = await mcs(caller, ['run', id, '--cancel']);
    expect([code, out, withoutRequest(errors)]).toEqual([
      2,
      '',
      'mcs: This run has begun and cannot be stopped; its eval will be stored and charged. (conflict)\n',
    ]);
  });
});

describe('mcs interrupted in a compare with samples', () => {
  it('names the eval, of which every sample is run and stored', async () => {
    const caller = await createCaller();
    const { child, ended } = await startMcs(
      ['compare', '[[sim:slow=1500]] [[sim:length=20]]', ...TWO, '--samples', '3', '--jsonl'],
      { environment: variables(caller) },
    );
    await once(child.stdout, 'readable');
    child.kill('SIGINT');
    const { code, out, errors } = await ended;
    const id = /eval_[0-9a-z]{20,}/.exec(out)?.[0] ?? '';
    expect([code, errors.replace(/^6 calls: \$[\d.]+ to \$[\d.]+\.\n/, '')]).toEqual([
      130,
      `Stopped watching. The run continues and will be stored and charged. To see it: mcs eval ${id}\n`,
    ]);
    expect(out).not.toContain('"event":"eval"');
    await eventually('it is stored', async () => (await caller.get(`/api/v1/evals/${id}`)).status === 200);
    expect((await caller.get(`/api/v1/evals/${id}`)).body.results).toHaveLength(6);
  });
});

(hasTerminals() ? describe : describe.skip)('mcs on a terminal with samples (needs script)', () => {
  const plain = (out: string) => out.replaceAll('\r', '').replace(/\u001b\[\d+m/g, '');
  const framesOf = (out: string) => plain(out).split(/\u001b\[\d+A\u001b\[J/);

  it('shows sample after sample in one column a model, and at the end the first of them with the figures of all', async () => {
    const caller = await createCaller();
    const ended = await mcs(
      caller,
      ['compare', `[[sim:pace=4]] [[sim:length=9]]`, ...TWO, '--samples', '3', '--check', 'finished'],
      { columns: 80, environment: { TERM: 'xterm' } },
    );
    const frames = framesOf(ended.out);
    const seen = [
      ...new Set(frames.slice(0, -1).flatMap((frame) => [...frame.matchAll(/#(\d) \d/g)].map(([, sample]) => sample))),
    ];
    expect([ended.code, seen, frames.length > 5]).toEqual([0, ['1', '2', '3'], true]);
    for (const frame of frames.slice(0, -1))
      expect(frame.split('\n').filter((line) => line.includes('sim-swift'))).toHaveLength(1);
    const last = frames.at(-1) ?? '';
    expect(last).toMatch(/^ sim-swift +#1 \d\.\d\d s/);
    expect(last.match(/✓ finished-1/g)).toHaveLength(2);
    expect(last).toMatch(
      /\nSample 1 of 3; mcs eval eval_\w+ --sample N shows\nanother\.\n\nsim-\w+ (?:was|has) [\s\S]* rounds[\s\S]*\n\nmodel +answered +p50 ms +p90 ms +a call costs +(?:texts +)?checks passed\nsim-swift +3 of 3 +\d+ \[-\]/,
    );
    expect(last).toMatch(
      /sim-swift was cheapest in all 3\s+rounds\.[\s\S]*\nA range shows [\s\S]*\neval_\w+ {2}6 of 6 · \$[\d.]+ · charged \$[\d.]+\n/,
    );
  });

  it.each([40, 80, 200])('of %s columns is kept to its width by every command', async (columns) => {
    const caller = await createCaller();
    const on = (...args: string[]) => mcs(caller, args, { columns, environment: { TERM: 'xterm' } });
    const id = await comparedBy(caller, '--samples', '2', '--check', 'contains=Paris');
    await mcs(caller, ['compare', PARIS, ...TWO, '--background']);
    await mcs(caller, ['share', id]);
    const again = /eval_\w+/.exec((await mcs(caller, ['rerun', id])).errors)?.[0] ?? '';
    for (const args of [
      ['compare', PARIS, ...TWO, '--samples', '2', '--check', 'contains=Paris', '--plain'],
      ['eval', id],
      ['agreement', id],
      ['drift', again],
      ['projection', id],
      ['runs'],
      ['shares'],
      ['rerun', id],
    ]) {
      const { code, out } = await on(...args);
      expect([args, code]).toEqual([args, 0]);
      // An address is not broken, nor a command to copy; both are on separate lines.
      const lines = plain(out)
        .split('\n')
        .filter((line) => !line.includes('/evals/') && !line.startsWith('To see what changed: '));
      for (const line of lines) expect([args, stringWidth(line) <= columns, line]).toEqual([args, true, line]);
    }
  });

  it('stops watching after Ctrl C in the second sample, and leaves what it has seen', async () => {
    const caller = await createCaller();
    const { child, ended } = await startMcs(
      ['compare', '[[sim:pace=10]] [[sim:length=12]]', ...TWO, '--samples', '4'],
      { columns: 80, environment: { ...variables(caller), TERM: 'xterm' } },
    );
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (data: Buffer) => {
        if (data.includes('#2')) resolve();
      }),
    );
    child.stdin.write('\u0003');
    const { code, out } = await ended;
    const [, id = ''] =
      /Stopped watching\. The run continues and will be stored and charged\. To see it: mcs eval (eval_\w+)/.exec(
        out,
      ) ?? [];
    expect([code, framesOf(out).at(-1)]).toEqual([130, expect.stringMatching(/#[2-4] /)]);
    expect(framesOf(out).at(-1)).not.toContain('p50 ms');
    await eventually('it is stored', async () => (await caller.get(`/api/v1/evals/${id}`)).body.results?.length === 8);
  });
});
