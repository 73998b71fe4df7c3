import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endOnce } from '../../support/cleanup';
import { onDatabase } from '../../support/database';
import { eventually } from '../../support/factories';
import { freePort } from '../../support/free-port';
import { endPostgresAfterThisProcess } from '../../support/postgres-guard';
import { deployed } from './deployed';
import { commandsIn } from './guide';
import { Program, runProgram } from './program';
import { postgresFolder, postgresUser } from './postgres-user';

/** The programs of a database that outlives its primary. */
export const PATRONI_PROGRAMS = ['postgres', 'patroni', 'patronictl', 'etcd', 'haproxy'];

const PASSWORDS = {
  PATRONI_SUPERUSER_PASSWORD: 'super',
  PATRONI_REPLICATION_PASSWORD: 'replica',
  PATRONI_REWIND_PASSWORD: 'rewind',
  PATRONI_RESTAPI_PASSWORD: 'rest',
  PATRONI_ETCD3_USERNAME: 'patroni',
  PATRONI_ETCD3_PASSWORD: 'etcd',
  PATRONI_ETCD3_PROTOCOL: 'http',
};
const REST_AUTHORIZATION = `Basic ${Buffer.from(`patroni:${PASSWORDS.PATRONI_RESTAPI_PASSWORD}`).toString('base64')}`;

/** One Postgres under Patroni, with deploy/patroni.yml. */
export class PatroniNode {
  private program: Program | undefined;
  private readonly folder = postgresFolder();
  /** Ends it for good. */
  readonly close = endOnce(() => this.kill());

  private constructor(
    readonly name: string,
    readonly port: number,
    readonly restPort: number,
  ) {}

  static async create(name: string, etcd: string): Promise<PatroniNode> {
    const node = new PatroniNode(name, await freePort(), await freePort());
    node.write(etcd);
    await node.validate();
    return node;
  }

  get file(): string {
    return join(this.folder, 'patroni.yml');
  }

  /** The superuser's address of one of its databases. */
  url(database = 'postgres'): string {
    return `postgresql://postgres:${PASSWORDS.PATRONI_SUPERUSER_PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts it and waits until it is the primary or follows it. */
  async start(): Promise<void> {
    const isReady = async () => (await this.ask('/readiness')) === 200;
    this.program = await Program.start({
      program: 'patroni',
      args: [this.file],
      folder: this.folder,
      user: postgresUser(),
      variables: PASSWORDS,
      isReady,
    });
    const guard = endPostgresAfterThisProcess(this.dataFolder);
    this.program.child.once('exit', () => guard.release());
  }

  /** Ends Patroni and every process of Postgres, as a power cut would. */
  async kill(): Promise<void> {
    const pids = this.processes();
    await this.program?.kill();
    for (const pid of pids) killIfRunning(pid, 'SIGKILL');
  }

  /** True if it answers 200 to `/primary`, `/replica` and the like. */
  async ask(path: string): Promise<number> {
    return fetch(`http://127.0.0.1:${this.restPort}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  }

  output(): string {
    return this.program?.output() ?? '';
  }

  private get dataFolder(): string {
    return join(this.folder, 'data');
  }

  /** Lets Patroni check its file, in which it does not accept that others connect to 127.0.0.1. */
  private async validate(): Promise<void> {
    const file = join(this.folder, 'to-validate.yml');
    writeFileSync(
      file,
      readFileSync(this.file, 'utf8').replaceAll('connect_address: 127.0.0.1', 'connect_address: 127.0.0.2'),
    );
    await runProgram('patroni', ['--validate-config', file], {
      folder: this.folder,
      user: postgresUser(),
      variables: PASSWORDS,
    });
  }

  /** The server of Postgres and its children; a stopped child would not notice that the server is gone. */
  private processes(): number[] {
    try {
      const postmaster = Number(readFileSync(join(this.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
      const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number));
      return [
        postmaster,
        ...lines.flatMap(([pid, parent]) => (parent === postmaster && pid !== undefined ? [pid] : [])),
      ];
    } catch {
      return [];
    }
  }

  private write(etcd: string): void {
    const text = deployed('patroni.yml', {
      'name: postgres1\n': `name: ${this.name}\n`,
      'listen: postgres1:8008': `listen: 127.0.0.1:${this.restPort}`,
      'connect_address: postgres1:8008': `connect_address: 127.0.0.1:${this.restPort}`,
      'etcd1:2379,etcd2:2379,etcd3:2379': etcd,
      '0.0.0.0:5432': `127.0.0.1:${this.port}`,
      'postgres1:5432': `127.0.0.1:${this.port}`,
      '/var/lib/postgresql/15/mcs': this.dataFolder,
      '/var/lib/postgresql/patroni.pgpass': join(this.folder, 'pgpass'),
      'unix_socket_directories: /var/run/postgresql': `unix_socket_directories: ${this.folder}\n    fsync: "off"`,
    });
    writeFileSync(this.file, text);
    const { uid, gid } = postgresUser();
    if (uid !== undefined && gid !== undefined) chownSync(this.file, uid, gid);
  }
}

function killIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Two Postgres under Patroni, its etcd, and a HAProxy that finds the primary. */
export class PatroniCluster {
  private constructor(
    private readonly nodes: readonly [PatroniNode, PatroniNode],
    private readonly haproxyPort: number,
    readonly etcd: string,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const etcd = await startEtcd();
    const nodes: [PatroniNode, PatroniNode] = [
      await PatroniNode.create('postgres1', etcd),
      await PatroniNode.create('postgres2', etcd),
    ];
    const cluster = new PatroniCluster(nodes, await freePort(), etcd);
    await nodes[0].start();
    await nodes[1].start();
    await cluster.startHAProxy();
    await cluster.isWhole();
    return cluster;
  }

  /** The address of one of its databases through HAProxy, for that role. */
  url(database: string, role: string): string {
    return `postgresql://${role}@127.0.0.1:${this.haproxyPort}/${database}`;
  }

  async primary(): Promise<PatroniNode> {
    for (const node of this.nodes) if ((await node.ask('/primary')) === 200) return node;
    throw new Error('There is no primary.');
  }

  /** The node that is not the given one. */
  other(node: PatroniNode): PatroniNode {
    return this.nodes[0] === node ? this.nodes[1] : this.nodes[0];
  }

  /** Makes the other node the primary, and waits until it is one whom the old primary follows. */
  async switchOverAndFollow(): Promise<void> {
    const next = this.other(await this.primary());
    await this.switchOver();
    await eventually(
      `${next.name} is the primary`,
      async () => (await this.primary().catch(() => undefined)) === next,
      60_000,
    );
    await this.isWhole();
  }

  /** Changes Patroni's settings of the cluster, and waits until its mode of replication holds. */
  async configure(settings: {
    synchronous_mode: boolean;
    synchronous_mode_strict?: boolean;
    maximum_lag_on_failover?: number;
  }): Promise<void> {
    if ((await this.patch(settings, { Authorization: REST_AUTHORIZATION })) !== 200)
      throw new Error('Patroni refused its settings.');
    await this.isWhole(settings.synchronous_mode ? 'sync' : 'async');
  }

  /** Sends Patroni's REST API other settings with these headers, and gives the status of its answer. */
  async patch(settings: object, headers: Record<string, string> = {}): Promise<number> {
    const { restPort } = await this.primary();
    return (
      await fetch(`http://127.0.0.1:${restPort}/config`, { method: 'PATCH', body: JSON.stringify(settings), headers })
    ).status;
  }

  /** Waits until one is the primary, and the other follows it in that way. */
  async isWhole(state: 'sync' | 'async' = 'sync'): Promise<void> {
    await eventually(
      `the standby streams (${state})`,
      async () => {
        const primary = await this.primary().catch(() => undefined);
        return primary !== undefined && (await standbysOf(primary)).some(({ sync_state: is }) => is === state);
      },
      90_000,
    );
  }

  /** Makes the other node the primary, by the commands of the guide. */
  async switchOver(): Promise<void> {
    const leader = await this.primary();
    const variables = { ...PASSWORDS, PATRONI: leader.file, CANDIDATE: this.other(leader).name };
    await runProgram('bash', ['-ec', commandsIn('Fail over').join('')], {
      folder: dirname(leader.file),
      user: postgresUser(),
      variables,
    });
  }

  /** From now on the standby receives nothing, though its connection stays open. Gives how it goes on. */
  async holdBackStandby(): Promise<() => void> {
    const [sender] = await standbysOf(await this.primary());
    if (sender === undefined) throw new Error('There is no standby.');
    process.kill(sender.pid, 'SIGSTOP');
    return () => killIfRunning(sender.pid, 'SIGCONT');
  }

  private async startHAProxy(): Promise<void> {
    const [one, two] = this.nodes;
    const folder = postgresFolder();
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(
      file,
      deployed('haproxy-postgres.cfg', {
        '    bind :5000\n': `    bind 127.0.0.1:${this.haproxyPort}\n`,
        'check port 8008 ': 'check ',
        'postgres1:5432': `127.0.0.1:${one.port} port ${one.restPort}`,
        'postgres2:5432': `127.0.0.1:${two.port} port ${two.restPort}`,
      }),
    );
    await runProgram('haproxy', ['-c', '-f', file], { folder });
    await Program.start({
      program: 'haproxy',
      args: ['-db', '-f', file],
      folder,
      isReady: () =>
        onDatabase(this.url('postgres', `postgres:${PASSWORDS.PATRONI_SUPERUSER_PASSWORD}`), (client) =>
          client.query('select 1'),
        ).then(
          () => true,
          () => false,
        ),
    });
  }
}

async function standbysOf(node: PatroniNode): Promise<{ pid: number; sync_state: string }[]> {
  const text = "select pid, sync_state from pg_stat_replication where state = 'streaming'";
  return onDatabase(
    node.url(),
    async (client) => (await client.query<{ pid: number; sync_state: string }>(text)).rows,
  ).catch(() => []);
}

/** The store by which the nodes agree on the primary. */
export async function startEtcd(): Promise<string> {
  const [clients, peers] = [await freePort(), await freePort()];
  const folder = postgresFolder();
  const url = `http://127.0.0.1:${clients}`;
  const args = [
    '--data-dir',
    join(folder, 'data'),
    '--listen-client-urls',
    url,
    '--advertise-client-urls',
    url,
    '--listen-peer-urls',
    `http://127.0.0.1:${peers}`,
    '--initial-advertise-peer-urls',
    `http://127.0.0.1:${peers}`,
    '--initial-cluster',
    `default=http://127.0.0.1:${peers}`,
  ];
  const isReady = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await Program.start({ program: 'etcd', args, folder, user: postgresUser(), isReady });
  await closeEtcd(url);
  return `127.0.0.1:${clients}`;
}

/**
 * Runs the commands at the head of deploy/patroni.yml by the HTTP interface of etcd. From then on every request needs a
 * password.
 */
async function closeEtcd(url: string): Promise<void> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const steps: [string, object][] = [
    ['user/add', { name: 'root', password: 'root' }],
    ['user/grant', { user: 'root', role: 'root' }],
    // The end of a range is the prefix with its last byte one higher.
    ['role/add', { name: 'patroni' }],
    [
      'role/grant',
      { name: 'patroni', perm: { permType: 'READWRITE', key: base64('/service/'), range_end: base64('/service0') } },
    ],
    ['user/add', { name: 'patroni', password: PASSWORDS.PATRONI_ETCD3_PASSWORD }],
    ['user/grant', { user: 'patroni', role: 'patroni' }],
    ['enable', {}],
  ];
  for (const [path, body] of steps) {
    const answer = await fetch(`${url}/v3/auth/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd refused ${path}: ${await answer.text()}`);
  }
}
