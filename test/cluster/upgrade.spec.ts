import { Api } from '../support/api';
import { runCommand } from '../support/command';
import { onDatabase } from '../support/database';
import { endedExperiment } from '../support/ended-experiment';
import { createCaller, eventually, type Caller } from '../support/factories';
import { lastRelease, RELEASE_0_2_0 } from '../support/releases';
import { idFor } from '../support/things';
import { CLUSTER_PROGRAMS, expectLedgerIsRight, NO_RATE_LIMITS, startCluster } from './support/cluster';
import { compares, evalsAmiss, failedOf, reads, show, startLoad, tableOf } from './support/load';
import { DATABASE_0_2_0, KEY_0_2_0, oldBuild } from './support/old-build';
import { describeWith } from './support/programs';

const RELEASES = [...new Map([RELEASE_0_2_0, lastRelease()].map((release) => [release.commit, release])).values()];
/** The least drain behind HAProxy. Each build also migrates at its start, as with the compose file. */
const SETTINGS = { ...NO_RATE_LIMITS, DRAIN_SECONDS: '2', MIGRATE_ON_START: 'true' };

/** All evals of a caller by id; fails unless each of them, the list and the sums are answered with 200. */
async function readsOf(caller: Api): Promise<Record<string, object>> {
  const [list, ...sums] = await Promise.all(
    ['evals?limit=100', 'usage', 'usage/breakdown', 'usage/statement'].map((path) => caller.get(`/api/v1/${path}`)),
  );
  const ids = (list?.body.evals as { eval_id: string }[]).map(({ eval_id: id }) => id);
  const evals = await Promise.all(ids.map((id) => caller.get(`/api/v1/evals/${id}?include=details`)));
  expect([list, ...sums, ...evals].filter((answer) => answer?.status !== 200)).toEqual([]);
  return Object.fromEntries(evals.map(({ body }, i) => [ids[i], body as object]));
}

/** Uses much that 0.2.0 does not have. Gives an eval, the token of a link to it, and an experiment that runs. */
async function useMuch(caller: Caller): Promise<{ evalId: string; token: string; experiment: string }> {
  const options = { samples: 2, system: 'Be brief.' };
  const asked = { prompt: 'Say yes.', models: ['sim-swift', 'sim-sage@low'], checks: [{ type: 'json' }], options };
  const evalId = (await caller.compare(asked)).body.eval_id as string;
  for (const things of ['runs', 'experiments with judges']) await idFor(things, caller, evalId);
  const rows = Array.from({ length: 20 }, (_, no) => ({ input: `row ${no}` }));
  const dataset = (await caller.post('/api/v1/datasets', { rows })).body.dataset_id as string;
  const body = { dataset, prompt: '{input} [[sim:slow=1000]]', models: ['sim-swift'], max_cost_usd: 1, parallel: 2 };
  const experiment = (await caller.post('/api/v1/experiments', body)).body.experiment_id as string;
  return { evalId, token: await idFor('shared', caller, evalId), experiment };
}

describeWith(CLUSTER_PROGRAMS, 'Two processes of an earlier release under load', () => {
  it.each(RELEASES)(
    'are upgraded, taken back and upgraded again, with every eval once: $version',
    async (release) => {
      const main = oldBuild(release);
      const prepare = async (url: string) =>
        release === RELEASE_0_2_0 && onDatabase(url, (client) => client.query(DATABASE_0_2_0));
      const cluster = await startCluster({ replicas: 2, main, prepare, variables: SETTINGS });
      const author = await createCaller({ at: cluster.url });
      const callers = await Promise.all([1, 2, 3, 4].map(() => createCaller({ at: cluster.url })));
      const witness = release === RELEASE_0_2_0 ? new Api(KEY_0_2_0, cluster.url) : author;
      expect((await witness.compare({ prompt: 'Before.', models: ['sim-swift'] })).status).toBe(200);
      const before = await readsOf(witness);
      const asked = compares({ callers, perSecond: 15, ms: 200, keys: 'key' });
      const load = startLoad([asked, reads({ callers, perSecond: 40 })]);
      const found = () => cluster.haproxy.program.output().split(' is UP').length;
      /** Replaces one after the other when HAProxy has found the one before, and repeats what the build before has answered. */
      const replaceBy = async (build?: string) => {
        const earlier = load.sent.filter(({ evalId }) => evalId !== undefined).slice(-20);
        for (const replica of cluster.replicas) {
          expect(replica.running.output()).not.toMatch(/"level":"(error|fatal)"/);
          const times = found();
          expect(await replica.restart(build)).toBe(0);
          await eventually('HAProxy has found it', () => found() > times);
        }
        const again = await Promise.all(
          earlier.map(({ idempotencyKey }) => asked.send(Number(idempotencyKey?.slice(4)))),
        );
        expect(again.map(({ body }) => body.eval_id as string)).toEqual(earlier.map(({ evalId }) => evalId));
        expect(await readsOf(witness)).toMatchObject(before);
      };

      expect(await runCommand('migrate', { DATABASE_URL: cluster.databaseUrl })).toMatchObject({ status: 0 });
      await replaceBy();
      const { evalId, token, experiment } = await useMuch(author);
      await replaceBy(main);
      expect(Object.keys(await readsOf(author))).toContain(evalId);
      expect((await author.delete(`/api/v1/evals/${evalId}`)).status).toBe(204);
      await replaceBy();
      const sent = await load.stop();
      show(tableOf(`From ${release.version} to this build, back and forth again:`, sent));

      expect(failedOf(sent).slice(0, 3)).toEqual([]);
      expect(await evalsAmiss(cluster.databaseUrl, callers, sent)).toEqual({ lost: [], unasked: [], twice: [] });
      expect(await endedExperiment(author, experiment)).toMatchObject({ state: 'finished', rows: { done: 20 } });
      const gone = [`evals/${evalId}`, `shared/${token}`].map((path) => author.get(`/api/v1/${path}`));
      expect((await Promise.all(gone)).map(({ status }) => status)).toEqual([404, 404]);
      await expectLedgerIsRight(cluster.databaseUrl);
    },
    300_000,
  );
});
