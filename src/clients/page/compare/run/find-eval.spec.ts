import {
  AuthenticationError,
  ConnectionError,
  type Eval,
  InvalidRequestError,
  ServiceError,
} from '../../../client/client';
import { findEval } from './find-eval';

const EVAL = { eval_id: 'eval_1' } as Eval;
const notFound = () => new InvalidRequestError('No such eval.', { code: 'not_found', status: 404 });

/** A source whose answers come in that order, the last one again and again. */
function sourceOf(...answers: (Eval | Error)[]) {
  const waits: number[] = [];
  let asked = 0;
  return {
    waits,
    get: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer ?? EVAL;
    },
    replay: undefined,
    wait: async (ms: number) => {
      waits.push(ms);
    },
  };
}

describe('findEval', () => {
  it('waits as long for each round of samples', async () => {
    const source = { ...sourceOf(notFound()), rounds: 3 };
    expect(await findEval(source)).toBeUndefined();
    expect(source.waits.reduce((sum, ms) => sum + ms, 0)).toBe(300_000);
  });

  it('asks after 1, 2, 4 and 8 seconds, then every 8', async () => {
    const source = sourceOf(notFound(), notFound(), notFound(), notFound(), notFound(), EVAL);
    expect(await findEval(source)).toBe(EVAL);
    expect(source.waits).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it.each([
    [0, 100],
    [26_000, 74],
    [90_000, 15],
    [600_000, 15],
  ])('gives up on a run that was sent %i ms ago after %i seconds', async (sentMsAgo, seconds) => {
    const source = sourceOf(notFound());
    expect(await findEval({ ...source, sentMsAgo })).toBeUndefined();
    expect(source.waits.reduce((sum, ms) => sum + ms, 0)).toBe(seconds * 1000);
  });

  it('says why when the service did not answer to the end, since nothing is known then', async () => {
    const away = new ConnectionError('Gone.', { code: 'connection_failed' });
    await expect(findEval(sourceOf(notFound(), away))).rejects.toBe(away);
  });

  it.each([
    ['no connection', new ConnectionError('Gone.', { code: 'connection_failed' })],
    ['a service that restarts', new ServiceError('Later.', { code: 'unavailable', status: 503 })],
  ])('goes on after %s', async (_what, error) => expect(await findEval(sourceOf(error, EVAL))).toBe(EVAL));

  it('ends with an error that will not go away', async () => {
    const revoked = new AuthenticationError('No key.', { code: 'unauthorized', status: 401 });
    await expect(findEval(sourceOf(revoked))).rejects.toBe(revoked);
  });

  it('asks by the Idempotency-Key where the key may not read evals', async () => {
    const forbidden = new AuthenticationError('Scope.', { code: 'insufficient_scope', status: 403 });
    await expect(findEval(sourceOf(forbidden))).rejects.toBe(forbidden);
    expect(await findEval({ ...sourceOf(forbidden), replay: async () => EVAL })).toBe(EVAL);
  });
});
