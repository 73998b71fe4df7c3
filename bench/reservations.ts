import { makeCallers, type CallerSettings } from './callers';
import type { Contender } from './duel';
import { figuresOf, ratioOf, type Contestant, type Figures, type Measurement, type Meter, type Rounds } from './measure';
import { printTable, printVerdicts } from './report';
import { compares } from './scenarios';
import { SETTINGS } from './settings';
import { atLeast, atMost, type Verdict } from './verdict';

/** Users whose compares need a reservation, and those whose compares need none. */
const KINDS = {
  'no reservation': {},
  'free evals left': { free_quota: 1_000_000_000 },
  'spend limit': { monthly_spend_limit_usd: 1_000_000 },
} satisfies Record<string, CallerSettings>;
type Kind = keyof typeof KINDS;
const BASELINE = 'no reservation' satisfies Kind;
const RESERVED = ['free evals left', 'spend limit'] satisfies Kind[];

const CONNECTIONS = 64;
const MIN_SHARE_OF_YARDSTICK = 0.5;
const MIN_RESERVED_SHARE_OF_YARDSTICK = 0.4;
const MIN_SHARE_OF_UNRESERVED = 0.8;
const MAX_POSTGRES_CPU_FACTOR = 1.5;
const MAX_SERVICE_CPU_MS = 1.7;

/** What came of it, for readers of a result. */
export interface ReservationResult {
  users: number;
  figures: Record<string, Figures>;
  verdicts: Verdict[];
}

/** Whether this part was asked for. */
export function isReservationBenchWanted(): boolean {
  return 'reservation'.includes(SETTINGS.only) || SETTINGS.only.includes('reservation');
}

/** Compares of users with free evals left and of users with a spend limit, against those of users with neither and against the yardstick, of one user and of many. */
export async function reservationBench(meter: Meter, service: Contender, yardstick: Contender): Promise<ReservationResult[]> {
  const results: ReservationResult[] = [];
  for (const users of [1, SETTINGS.users]) results.push(await compareKinds(users, meter, service, yardstick));
  return results;
}

async function compareKinds(users: number, meter: Meter, { server }: Contender, yardstick: Contender): Promise<ReservationResult> {
  const contestants = new Map<string, Contestant>();
  for (const [kind, settings] of Object.entries(KINDS) as [Kind, CallerSettings][]) {
    const callers = await makeCallers(server.port, users, `${kind.replaceAll(' ', '-')}-of-${users}`, settings);
    contestants.set(kind, { server, job: jobOf(callers.map(({ key }) => key)) });
  }
  contestants.set('yardstick', { server: yardstick.server, job: jobOf(yardstick.past.keys.slice(0, users)) });
  const rounds = await meter.takeTurns(Object.fromEntries(contestants) as Record<Kind | 'yardstick', Contestant>);
  const verdicts = verdictsOf(users, rounds);
  const figures = Object.fromEntries(Object.entries(rounds).map(([kind, all]) => [kind, figuresOf(all)]));
  printTable(`compare with and without a reservation, vendor of 0 ms, ${users} ${users === 1 ? 'user' : 'users'}, ${CONNECTIONS} parallel`, figures);
  printVerdicts(verdicts);
  return { users, figures, verdicts };
}

const jobOf = (keys: readonly string[]) => ({ connections: CONNECTIONS, requests: compares(0)({ keys, evalIds: [] }) });

const perSecond = (measurement: Measurement) => measurement.perSecond;

function verdictsOf(users: number, rounds: Rounds<Kind | 'yardstick'>): Verdict[] {
  const by = `${users} ${users === 1 ? 'user' : 'users'}`;
  const unreserved = rounds[BASELINE];
  const verdicts = [
    atLeast(`${BASELINE}, ${by}: compares/s of the yardstick`, ratioOf(unreserved, rounds.yardstick, perSecond).median, MIN_SHARE_OF_YARDSTICK),
    atMost(`${BASELINE}, ${by}: processor time of the service`, figuresOf(unreserved).serverCpuMs, MAX_SERVICE_CPU_MS, 'ms'),
  ];
  for (const kind of RESERVED) {
    verdicts.push(
      atLeast(`${kind}, ${by}: compares/s of the yardstick`, ratioOf(rounds[kind], rounds.yardstick, perSecond).median, MIN_RESERVED_SHARE_OF_YARDSTICK),
      atLeast(`${kind}, ${by}: compares/s of those without a reservation`, ratioOf(rounds[kind], unreserved, perSecond).median, MIN_SHARE_OF_UNRESERVED),
      atMost(`${kind}, ${by}: processor time of Postgres over those without`, ratioOf(rounds[kind], unreserved, ({ postgresCpuMs }) => postgresCpuMs).median, MAX_POSTGRES_CPU_FACTOR, '×'),
    );
  }
  return verdicts;
}
