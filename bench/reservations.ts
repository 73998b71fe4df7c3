import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { onDatabase } from '../test/support/database';
import { makeCallers, type CallerSettings } from './callers';
import type { Verdict } from './duel';
import type { LoadReport } from './load';
import type { Load, ServerProgram } from './processes';
import { compares } from './scenarios';
import { say, SETTINGS } from './settings';
import { median } from './statistics';

/** Users whose compares need a reservation, and the ones beside whom they are measured. */
const KINDS = {
  'no reservation': {},
  'free evals left': { free_quota: 1_000_000_000 },
  'spend limit': { monthly_spend_limit_usd: 1_000_000 },
} satisfies Record<string, CallerSettings>;
type Kind = keyof typeof KINDS;
const BASELINE: Kind = 'no reservation';

const CONNECTIONS = 64;
const MIN_SHARE = 0.8;
const MAX_POSTGRES_CPU_FACTOR = 1.5;

/** One measurement. Processor times in milliseconds for each compare. */
interface Round extends LoadReport {
  serviceCpuMs: number;
  postgresCpuMs: number;
}

/** Whether this part was asked for. */
export function isReservationBenchWanted(): boolean {
  return 'reservation'.includes(SETTINGS.only) || SETTINGS.only.includes('reservation');
}

/** Compares of users with free evals left and of users with a spend limit, against those of users with neither, in turns. */
export async function reservationBench(load: Load, service: ServerProgram, databaseUrl: string): Promise<Verdict[]> {
  const postmaster = await postmasterOf(databaseUrl);
  const verdicts: Verdict[] = [];
  for (const users of [1, SETTINGS.users]) verdicts.push(...(await compareKinds(users, load, service, postmaster)));
  return verdicts;
}

async function compareKinds(users: number, load: Load, service: ServerProgram, postmaster: number): Promise<Verdict[]> {
  const requests = new Map<Kind, string[]>();
  for (const [kind, settings] of Object.entries(KINDS) as [Kind, CallerSettings][]) {
    const callers = await makeCallers(service.port, users, `${kind.replaceAll(' ', '-')}-of-${users}`, settings);
    requests.set(kind, compares(0)({ keys: callers.map(({ key }) => key), evalIds: [] }));
  }
  const run = (kind: Kind, seconds: number) => measured(load, service, postmaster, { port: service.port, connections: CONNECTIONS, requests: requests.get(kind) ?? [], seconds });
  const rounds = new Map<Kind, Round[]>(Object.keys(KINDS).map((kind) => [kind as Kind, []]));
  for (const kind of rounds.keys()) await run(kind, SETTINGS.warmUpSeconds);
  for (let round = 0; round < SETTINGS.rounds; round += 1) for (const [kind, all] of rounds) all.push(await run(kind, SETTINGS.seconds));
  say();
  say(`compare with and without a reservation, vendor of 0 ms, ${users} ${users === 1 ? 'user' : 'users'}, ${CONNECTIONS} parallel`);
  for (const [kind, all] of rounds) say(line(kind, all));
  return verdictsOf(users, rounds);
}

async function measured(load: Load, service: ServerProgram, postmaster: number, job: Parameters<Load['run']>[0]): Promise<Round> {
  const [service0, postgres0] = [service.cpuSeconds() ?? Number.NaN, cpuSecondsOfFamily(postmaster)];
  const report = await load.run(job);
  if (Object.keys(report.failures).length > 0) say(`  NOT A MEASUREMENT: the service answered ${JSON.stringify(report.failures)}`);
  const each = (seconds: number) => (1000 * seconds) / report.requests;
  return { ...report, serviceCpuMs: each((service.cpuSeconds() ?? Number.NaN) - service0), postgresCpuMs: each(cpuSecondsOfFamily(postmaster) - postgres0) };
}

function verdictsOf(users: number, rounds: ReadonlyMap<Kind, Round[]>): Verdict[] {
  const baseline = rounds.get(BASELINE) ?? [];
  const others = [...rounds].filter(([kind]) => kind !== BASELINE);
  return others.flatMap(([kind, all]) => {
    const share = median(all.map(({ perSecond }, index) => perSecond / (baseline[index]?.perSecond ?? Number.NaN)));
    const cpu = median(all.map(({ postgresCpuMs }, index) => postgresCpuMs / (baseline[index]?.postgresCpuMs ?? Number.NaN)));
    return [
      { what: `${kind}, ${users} users: compares a second`, value: `${(100 * share).toFixed(0)} %`, target: `≥ ${100 * MIN_SHARE} % of those without a reservation`, isMet: share >= MIN_SHARE },
      { what: `${kind}, ${users} users: processor time of Postgres`, value: `${cpu.toFixed(2)} ×`, target: `≤ ${MAX_POSTGRES_CPU_FACTOR} ×`, isMet: cpu <= MAX_POSTGRES_CPU_FACTOR },
    ];
  });
}

function line(kind: Kind, rounds: readonly Round[]): string {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  return `  ${kind.padEnd(16)} ${of(({ perSecond }) => perSecond).toFixed(0)} compares/s, p50 ${of(({ latency }) => latency.p50).toFixed(1)} ms, p99 ${of(({ latency }) => latency.p99).toFixed(1)} ms, `
    + `processor time a compare: service ${of(({ serviceCpuMs }) => serviceCpuMs).toFixed(2)} ms, Postgres ${of(({ postgresCpuMs }) => postgresCpuMs).toFixed(2)} ms`;
}

async function postmasterOf(databaseUrl: string): Promise<number> {
  const backend = await onDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query<{ parent: string }>(`select pg_backend_pid() as parent`);
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(rows[0]?.parent)]).toString());
  });
  if (!Number.isSafeInteger(backend)) throw new Error('The processor time of Postgres is read from /proc, so it must run on this machine.');
  return backend;
}

/** Processor seconds of a process, of its children and of those that have ended. */
function cpuSecondsOfFamily(parent: number): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)) {
    const fields = statOf(pid);
    const isParent = pid === parent;
    if (!isParent && Number(fields[1]) !== parent) continue;
    // utime and stime; of the parent also those of the children that it has waited for.
    const used = fields.slice(11, isParent ? 15 : 13);
    for (const field of used) ticks += Number(field);
  }
  return ticks / 100;
}

function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    return [];
  }
}
