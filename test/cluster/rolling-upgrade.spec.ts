import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onDatabase } from '../support/database';
import { createCaller, type Caller } from '../support/factories';
import { PROGRAM_VARIABLES, TEST_SECRETS } from '../support/service';
import { CLUSTER_PROGRAMS, expectLedgerIsRight, NO_RATE_LIMITS, startCluster, type Cluster } from './support/cluster';
import { startHAProxy, type HAProxy } from './support/haproxy';
import {
  compares,
  evalsAmiss,
  failedOf,
  reads,
  show,
  startLoad,
  streams,
  tableOf,
  type Kind,
  type Sent,
} from './support/load';
import { nextBuild } from './support/next-build';
import { describeWith } from './support/programs';

const CALLERS = 8;
/** As in production, where it is the default. */
const DRAIN_SECONDS = '5';

describeWith(CLUSTER_PROGRAMS, 'Three processes that are replaced one after the other under load', () => {
  let cluster: Cluster;
  let withoutRetries: HAProxy;
  let callers: Caller[];
  beforeAll(async () => {
    cluster = await startCluster({ variables: { ...NO_RATE_LIMITS, DRAIN_SECONDS } });
    const urls = cluster.replicas.map(({ url }) => url);
    withoutRetries = await startHAProxy(urls, {
      '    retries 3\n': '    retries 0\n',
      '    retry-on conn-failure\n': '',
      '    option redispatch 1\n': '',
    });
    callers = await Promise.all(Array.from({ length: CALLERS }, () => createCaller({ at: cluster.url })));
  });

  /** Half of 40 compares, some of 4 s and some streamed, and 80 reads a second. */
  const half = (url: string): Kind[] => {
    const at = callers.map((caller) => caller.at(url));
    return [
      compares({ callers: at, perSecond: 15, ms: 200 }),
      compares({ callers: at, perSecond: 4, ms: 4000, name: 'compares of 4 s' }),
      streams({ callers: at, perSecond: 1, seconds: 6 }),
      reads({ callers: at, perSecond: 40 }),
    ];
  };

  /** Runs an action under load through both HAProxys, with and without retries, and expects that no caller noticed. */
  async function expectUnnoticed(what: string, work: () => Promise<void>): Promise<void> {
    const [shipped, bare] = [startLoad(half(cluster.url)), startLoad(half(withoutRetries.url))];
    const begin = performance.now();
    await work();
    const took = ((performance.now() - begin) / 1000).toFixed(1);
    const sent = { 'retry-on conn-failure': await shipped.stop(), 'no retries': await bare.stop() };
    for (const [way, those] of Object.entries(sent))
      show(tableOf(`${what} of three processes in ${took} s, ${way}:`, those));
    const all: Sent[] = Object.values(sent).flat();
    expect(failedOf(all).slice(0, 3)).toEqual([]);
    expect(await evalsAmiss(cluster.databaseUrl, callers, evalsOf(all))).toEqual({ lost: [], unasked: [], twice: [] });
    await expectLedgerIsRight(cluster.databaseUrl);
  }

  /** All evals that callers have been answered so far. */
  const evalsOf = (sent: Sent[]): Sent[] => {
    before.push(...sent);
    return before;
  };
  const before: Sent[] = [];

  it('fail no request, cut no stream, and lose and double no eval in a restart', async () => {
    await expectUnnoticed('Restart', async () => {
      for (const replica of cluster.replicas) expect(await replica.restart()).toBe(0);
    });
  }, 180_000);

  it('fail no request, cut no stream, and lose and double no eval in an upgrade with a migration', async () => {
    const { main, migrate, migration } = nextBuild();
    await expectUnnoticed('Upgrade', async () => {
      const env = { ...PROGRAM_VARIABLES, NODE_ENV: 'test', DATABASE_URL: cluster.databaseUrl, ...TEST_SECRETS };
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [migrate], { env });
      expect(`${stdout}${stderr}`).toContain(`Applied: ${migration}`);
      for (const replica of cluster.replicas) expect(await replica.restart(main)).toBe(0);
    });
    const { rows } = await onDatabase(cluster.databaseUrl, (client) => client.query('select * from next_build'));
    expect(rows).toEqual([]);
  }, 180_000);
});
