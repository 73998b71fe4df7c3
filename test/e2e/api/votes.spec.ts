import { Api, type Answer, type Json } from '../../support/api';
import { columnsWith, onDatabase, ownDatabase } from '../../support/database';
import { endedExperiment } from '../../support/ended-experiment';
import { createCaller, type Caller } from '../../support/factories';
import { judgeExperiment } from '../../support/judge-experiment';
import { anotherKey } from '../../support/ledger';
import { startService } from '../../support/service';
import { worker } from '../../support/worker';

const HOUR_MS = 3_600_000;
const MODELS = ['sim-swift', 'sim-quill', 'sim-sage'];
const COLORS = ['red', 'green', 'blue'];

/** An ended experiment of 3 rows, in which the models answer red, green and blue; the last one fails in the last row. */
async function colors(caller: Caller): Promise<string> {
  const rows = [0, 1, 2].map((no) => ({
    input: `row ${no}`,
    expected: `reference ${no}`,
    variables: { fault: no === 2 ? 'fail=content_refused' : 'say=blue' },
  }));
  const dataset = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
  const { body, status } = await caller.post('/api/v1/experiments', {
    dataset,
    prompt: '{input} [[sim-swift:say=red]] [[sim-quill:say=green]] [[sim-sage:{fault}]]',
    models: MODELS,
    max_cost_usd: 1,
  });
  expect([status, body]).toEqual([202, expect.anything()]);
  expect((await endedExperiment(caller, body.experiment_id)).state).toBe('finished');
  return body.experiment_id as string;
}

const ballotOf = async (voter: Api, path: string): Promise<Json> => {
  const answer = await voter.get(`${path}`);
  expect([answer.text, answer.status]).toEqual([answer.text, 200]);
  return answer.body;
};
const ofKey = (id: string) => [`/api/v1/experiments/${id}/ballot`, `/api/v1/experiments/${id}/votes`] as const;
const errorOf = ({ body: { error } }: Answer<Json>) => [error.code, error.param, error.message];

/** The stored votes on an experiment. */
const storedVotes = (id: string): Promise<Json[]> =>
  onDatabase(
    worker().databaseUrl,
    async (client) =>
      (
        await client.query<Json>(
          'select row_no, item_no, voter, winner, is_random from experiment_votes where experiment_id = $1 order by row_no, item_no, voted_at',
          [id],
        )
      ).rows,
  );

/** Votes for what `choose` takes of the answers until nothing is left. Returns the ballots. */
async function voteOnAll(
  voter: Api,
  [ballot, votes]: readonly [string, string],
  choose: (answers: string[]) => string,
  more: object = {},
): Promise<Json[]> {
  const seen: Json[] = [];
  for (;;) {
    const next = await ballotOf(voter, ballot);
    expect(next.progress.voted).toBe(seen.length);
    if (next.ballot === null) return seen;
    seen.push(next);
    const winner = choose(next.answers);
    const { status, body } = await voter.post(votes, { ballot: next.ballot, winner, ...more });
    expect([status, body]).toEqual([201, { winner, voted_at: expect.any(String) }]);
  }
}

/** The number of the answer that is first in the order of the models. */
const first = (answers: string[]) =>
  String(1 + answers.findIndex((answer) => answer === COLORS.find((color) => answers.includes(color))));

describe('Votes on pairs', () => {
  let caller: Caller;
  let of: string;
  beforeAll(async () => {
    caller = await createCaller();
    of = await colors(caller);
  });

  it('are on blind ballots in the same order for everybody, on every pair with two answers, until none is left', async () => {
    const id = await judgeExperiment(caller, of);
    const other = await anotherKey(caller);
    const [mine, theirs] = [await voteOnAll(caller, ofKey(id), first), await voteOnAll(other, ofKey(id), () => 'tie')];
    const shown = (ballots: Json[]) => ballots.map(({ input, answers }) => [input, answers.toSorted()]);
    expect(shown(mine)).toEqual(shown(theirs));
    // 3 pairs of 2 rows, and the pair without the model that failed.
    expect(mine).toHaveLength(7);
    expect(new Set(shown(mine).map(String)).size).toBe(7);
    for (const ballot of mine) {
      const row = /^row (\d)/.exec(ballot.input)?.[1];
      expect(ballot).toMatchObject({
        kind: 'pairwise',
        criterion: `It answers row ${row}.`,
        expected: `reference ${row}`,
      });
      expect(ballot.progress.items).toBe(9);
      expect(JSON.stringify({ ...ballot, input: '' })).not.toMatch(/sim-|swift|quill|sage/);
    }
    const stored = await storedVotes(id);
    // Whatever side a model was shown on.
    expect(stored.filter(({ voter }) => voter === `key ${caller.keyId}`).map(({ winner }) => winner)).toEqual(
      Array(7).fill('1'),
    );
    expect(stored.filter(({ winner }) => winner === 'tie')).toHaveLength(7);
    expect(stored.every(({ is_random }) => is_random)).toBe(true);
    expect(await ballotOf(caller, ofKey(id)[0])).toEqual({
      ballot: null,
      kind: 'pairwise',
      criterion: 'It answers {input}.',
      input: null,
      expected: null,
      answers: [],
      progress: { voted: 7, items: 9 },
    });
  });

  it('show both sides first', async () => {
    const id = await judgeExperiment(caller, of);
    const sides = new Set<string>();
    for (let draw = 0; draw < 60 && sides.size < 2; draw += 1)
      sides.add((await ballotOf(caller, ofKey(id)[0])).answers.join());
    expect(sides.size).toBe(2);
  });

  it('count once for a voter, the last one, however often and at once they come', async () => {
    const id = await judgeExperiment(caller, of);
    const [path, votes] = ofKey(id);
    const other = await anotherKey(caller);
    const { ballot } = await ballotOf(caller, path);
    const theirs = (await ballotOf(other, path)).ballot;
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => caller.post(votes, { ballot, winner: 'tie' })),
      ...Array.from({ length: 5 }, () => other.post(votes, { ballot: theirs, winner: 'tie' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect((await caller.post(votes, { ballot, winner: 'none' })).status).toBe(201);
    const stored = await storedVotes(id);
    expect(stored.map(({ voter, winner }) => [voter, winner]).sort()).toEqual(
      [
        [`key ${caller.keyId}`, 'none'],
        [`key ${other.keyId}`, 'tie'],
      ].sort(),
    );
    expect(new Set(stored.map(({ row_no, item_no }) => `${row_no} ${item_no}`)).size).toBe(1);
    expect((await ballotOf(caller, path)).progress.voted).toBe(1);
  });

  it('let the kept summary be computed again', async () => {
    const id = await judgeExperiment(caller, of);
    const summary = (set: string) =>
      onDatabase(
        worker().databaseUrl,
        async (client) =>
          (await client.query<Json>(`update experiments set ${set} where id = $1 returning summary`, [id])).rows[0]
            .summary,
      );
    expect(await summary(`summary = '{"models": [], "pairs": []}'`)).not.toBeNull();
    const { ballot } = await ballotOf(caller, ofKey(id)[0]);
    await caller.post(ofKey(id)[1], { ballot, winner: 'tie' });
    expect(await summary('id = id')).toBeNull();
  });

  it('are refused with what to do for a ballot that was not drawn for them, and store nothing', async () => {
    const [id, another] = [await judgeExperiment(caller, of), await judgeExperiment(caller, of)];
    const [path, votes] = ofKey(id);
    const other = await anotherKey(caller);
    const { ballot } = await ballotOf(caller, path);
    const [payload = '', signature = ''] = ballot.slice('mcs_ballot_'.length).split('.');
    const contents: object = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...contents, rowNo: 1, isRandom: false })).toString('base64url');
    const refused = async (voter: Caller, body: object, at = votes) => errorOf(await voter.post(at, body));
    const about = (words: string) => ['invalid_request', 'ballot', expect.stringContaining(words)];
    expect(await refused(caller, { ballot: `mcs_ballot_${changed}.${signature}`, winner: '1' })).toEqual(
      about('was changed, or is not of this service; get another one'),
    );
    expect(await refused(caller, { ballot: 'nonsense', winner: '1' })).toEqual(about('send it unchanged'));
    expect(await refused(other, { ballot, winner: '1' })).toEqual(about('was drawn for another voter; get one'));
    expect(await refused(caller, { ballot, winner: '1' }, ofKey(another)[1])).toEqual(
      about('belongs to another experiment; get one of this experiment'),
    );
    expect(await refused(caller, { ballot, winner: 'yes' })).toEqual([
      'invalid_request',
      'winner',
      'winner must be one of 1, 2, tie, none on this ballot.',
    ]);
    expect((await refused(caller, { ballot, winner: '3' })).slice(0, 2)).toEqual(['invalid_request', 'winner']);
    expect([...(await storedVotes(id)), ...(await storedVotes(another))]).toEqual([]);
  });

  it('are for the user of the experiment, and ballots and votes need their scopes', async () => {
    const id = await judgeExperiment(caller, of);
    const [path, votes] = ofKey(id);
    const { ballot } = await ballotOf(caller, path);
    const stranger = await createCaller();
    expect((await stranger.get(path)).status).toBe(404);
    expect((await stranger.post(votes, { ballot, winner: '1' })).status).toBe(404);
    for (const unknown of ['exp_01k9z3t5v7x9b1d3f5h7k9m1n3', 'nonsense'])
      expect((await caller.get(ofKey(unknown)[0])).status).toBe(404);
    const scoped = (...scopes: string[]) => anotherKey(caller, { scopes });
    for (const scope of ['experiments:read', 'evals:read', 'experiments'])
      expect((await (await scoped(scope)).get(path)).body.error.code).toBe('insufficient_scope');
    expect((await (await scoped('experiments:read', 'evals:read')).get(path)).status).toBe(200);
    const body = { ballot, winner: '1' };
    const reader = await scoped('experiments:read', 'evals:read');
    expect((await reader.post(votes, body)).body.error.code).toBe('insufficient_scope');
    // Its key is another voter, which is looked at after the scope.
    expect((await (await scoped('experiments')).post(votes, body)).body.error.param).toBe('ballot');
    expect(await storedVotes(id)).toEqual([]);
  });

  it('wait for answers and need judges', async () => {
    const id = await judgeExperiment(caller, of);
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(`update experiments set state = 'paused', reason = 'waiting_for_answers' where id = $1`, [id]),
    );
    for (const [there, message] of [
      [of, 'This experiment has no judges; vote on one that was started with judge.'],
      [id, 'The answers are not complete yet; vote once this experiment runs.'],
    ] as const) {
      expect(errorOf(await caller.get(ofKey(there)[0]))).toEqual(['conflict', undefined, message]);
      const vote = await caller.post(ofKey(there)[1], { ballot: 'mcs_ballot_x', winner: '1' });
      expect(errorOf(vote)).toEqual(['conflict', undefined, message]);
    }
  });

  it('are refused after the erasure, which keeps the earlier ones', async () => {
    const id = await judgeExperiment(caller, of);
    const [path, votes] = ofKey(id);
    const { ballot } = await ballotOf(caller, path);
    await caller.post(votes, { ballot, winner: 'tie' });
    await caller.delete(`/api/v1/experiments/${id}`);
    const erased = ['conflict', undefined, 'This experiment was erased; vote on another one.'];
    expect(errorOf(await caller.get(path))).toEqual(erased);
    expect(errorOf(await caller.post(votes, { ballot, winner: 'none' }))).toEqual(erased);
    expect((await storedVotes(id)).map(({ winner }) => winner)).toEqual(['tie']);
  });

  it('are refused after the erasure of the judged experiment, which erases its judges', async () => {
    const own = await createCaller();
    const there = await colors(own);
    const id = await judgeExperiment(own, there);
    await own.delete(`/api/v1/experiments/${there}`);
    expect(errorOf(await own.get(ofKey(id)[0]))[2]).toBe('This experiment was erased; vote on another one.');
  });
});

describe('Votes of a rubric', () => {
  it('are yes or no on single answers', async () => {
    const caller = await createCaller();
    const id = await judgeExperiment(caller, await colors(caller), { kind: 'rubric' });
    const [path, votes] = ofKey(id);
    const { ballot, answers } = await ballotOf(caller, path);
    expect(answers).toHaveLength(1);
    const refused = await caller.post(votes, { ballot, winner: '1' });
    expect(errorOf(refused)).toEqual(['invalid_request', 'winner', 'winner must be one of yes, no on this ballot.']);
    const seen = await voteOnAll(caller, ofKey(id), ([answer]) => (answer === 'red' ? 'yes' : 'no'));
    expect(seen.map(({ answers: [answer] }) => answer).sort()).toEqual(
      ['blue', 'blue', 'green', 'green', 'green', 'red', 'red', 'red'].sort(),
    );
    for (const { item_no, winner } of await storedVotes(id)) expect(winner).toBe(item_no === 0 ? 'yes' : 'no');
  });

  it('look at no row for an answer that is known to be missing, however many there are', async () => {
    const caller = await createCaller();
    const of = await colors(caller);
    const id = await judgeExperiment(caller, of, { kind: 'rubric' });
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(`update experiment_rows set missing = '{sim-sage,sim-quill}' where experiment_id = $1`, [of]),
    );
    const seen = await voteOnAll(caller, ofKey(id), () => 'yes');
    expect(seen.map(({ answers }) => answers)).toEqual([['red'], ['red'], ['red']]);
  });
});

describe('A ballot', () => {
  it('ends after an hour by the clock of the service', async () => {
    const databaseUrl = await ownDatabase('votes');
    const service = await startService({ DATABASE_URL: databaseUrl, SIMULATOR: 'on' });
    const caller = await createCaller({ at: service.url });
    const id = await judgeExperiment(caller, await colors(caller));
    const [path, votes] = ofKey(id);
    const { ballot } = await ballotOf(caller, path);
    const statusAfter = async (ms: number) => {
      await service.moveClock(ms);
      return caller.post(votes, { ballot, winner: 'tie' });
    };
    expect((await statusAfter(HOUR_MS - 600_000)).status).toBe(201);
    expect(errorOf(await statusAfter(600_000))).toEqual([
      'invalid_request',
      'ballot',
      'This ballot has expired after an hour; get another one.',
    ]);
    await service.stop();
  });
});

describe('Votes through a link', () => {
  const anybody = new Api(undefined);
  let caller: Caller;
  let id: string;
  const share = async (body: object = { votes: true }) => caller.post('/api/v1/shares', { subject: id, ...body });
  const paths = (token: string, name: string) =>
    [`/api/v1/shared/${token}/ballot?voter=${encodeURIComponent(name)}`, `/api/v1/shared/${token}/votes`] as const;
  beforeAll(async () => {
    caller = await createCaller();
    id = await judgeExperiment(caller, await colors(caller));
  });

  it('count under a name, whatever its case and the space around it, which is not stored', async () => {
    const { body, status } = await share();
    expect([status, body.votes]).toEqual([201, true]);
    const [ada, grace] = ['Ada Zyxwvut', 'Grace Zyxwvut'];
    const [path, votes] = paths(body.token, ada);
    const answer = await anybody.get(path);
    expect([answer.headers.get('cache-control'), answer.headers.get('x-robots-tag')]).toEqual(['no-store', 'noindex']);
    const vote = (ballot: string, voter: string) => anybody.post(votes, { ballot, winner: 'tie', voter });
    expect((await vote(answer.body.ballot, ` ${ada.toUpperCase()}  `)).status).toBe(201);
    expect(errorOf(await vote(answer.body.ballot, grace)).slice(0, 2)).toEqual(['invalid_request', 'ballot']);
    const theirs = await ballotOf(anybody, paths(body.token, grace)[0]);
    expect([theirs.input, theirs.progress.voted]).toEqual([answer.body.input, 0]);
    expect((await vote(theirs.ballot, grace)).status).toBe(201);
    const stored = await storedVotes(id);
    expect(stored.map(({ voter }) => voter)).toEqual([
      expect.stringMatching(/^link [0-9a-f]{16}$/),
      expect.stringMatching(/^link [0-9a-f]{16}$/),
    ]);
    expect(new Set(stored.map(({ voter }) => voter)).size).toBe(2);
    expect((await ballotOf(anybody, paths(body.token, ada.toLowerCase())[0])).progress.voted).toBe(1);
    for (const text of ['zyxwvut', 'Zyxwvut', 'ZYXWVUT'])
      expect(await columnsWith(worker().databaseUrl, text)).toEqual([]);
    const [listed] = (await caller.get(`/api/v1/shares?subject=${id}`)).body.shares;
    expect(listed).toMatchObject({ votes: true, views: 0 });
  });

  it('need a name', async () => {
    const { token } = (await share()).body;
    for (const path of [`/api/v1/shared/${token}/ballot`, `/api/v1/shared/${token}/ballot?voter=%20`])
      expect(errorOf(await anybody.get(path)).slice(0, 2)).toEqual(['invalid_request', 'voter']);
  });

  it('end with the link, are not taken by one without votes, and then say what GET /shared/{token} says', async () => {
    const [live, expired, without] = [(await share()).body, (await share()).body, (await share({})).body];
    const { ballot } = await ballotOf(anybody, paths(live.token, 'Ada')[0]);
    const vote = (token: string) => anybody.post(paths(token, '')[1], { ballot, winner: '1', voter: 'Ada' });
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => vote(live.token))),
      caller.delete(`/api/v1/shares/${live.share_id}`),
    ]);
    for (const { status } of answers) expect([201, 404]).toContain(status);
    await onDatabase(worker().databaseUrl, (client) =>
      client.query(`update shares set expires_at = now() - interval '1 second' where id = $1`, [expired.share_id]),
    );
    const nothing = errorOf(await anybody.get(`/api/v1/shared/${live.token}`));
    expect(nothing[0]).toBe('not_found');
    for (const { token } of [live, expired, without]) {
      expect(errorOf(await anybody.get(paths(token, 'Ada')[0]))).toEqual(nothing);
      expect(errorOf(await vote(token))).toEqual(nothing);
    }
    expect((await anybody.get(`/api/v1/shared/${without.token}`)).status).toBe(200);
  });

  it('are for experiments of judges only', async () => {
    const of = await colors(caller);
    const { eval_id: evalId } = (await caller.compare({ prompt: 'Hello', models: ['sim-swift'] })).body;
    expect(errorOf(await share({ subject: of, votes: true }))).toEqual([
      'invalid_request',
      'votes',
      'votes is for experiments of judges; share this one without it.',
    ]);
    expect((await share({ subject: of, votes: false })).status).toBe(201);
    expect(errorOf(await share({ subject: evalId, votes: true }))).toEqual([
      'invalid_request',
      'votes',
      'votes is for experiments; an eval has redact.',
    ]);
  });
});
