import { makeCallers, type CallerSettings } from './callers';
import { figuresOf, ratioOf, type Contestant, type Measurement, type Rounds } from './measure';
import type { Bench, PartResult } from './part';
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

/** Compares of users with free evals left and of users with a spend limit, against those of users with neither and against the yardstick. */
export async function reservations(users: number, { meter, service: { server }, yardstick }: Bench): Promise<PartResult> {
  const by = `${users} ${users === 1 ? 'user' : 'users'}`;
  const contestants = new Map<string, Contestant>();
  for (const [kind, settings] of Object.entries(KINDS) as [Kind, CallerSettings][]) {
    const callers = await makeCallers(server.port, users, `${kind.replaceAll(' ', '-')}-of-${users}`, settings);
    contestants.set(kind, { server, job: jobOf(callers.map(({ key }) => key)) });
  }
  contestants.set('yardstick', { server: yardstick.server, job: jobOf(yardstick.past.keys.slice(0, users)) });
  const rounds = await meter.takeTurns(Object.fromEntries(contestants) as Record<Kind | 'yardstick', Contestant>);
  return {
    name: `compare with and without a reservation, ${by}, vendor of 0 ms, ${CONNECTIONS} parallel`,
    figures: Object.fromEntries(Object.entries(rounds).map(([kind, all]) => [kind, figuresOf(all)])),
    verdicts: verdictsOf(by, rounds),
  };
}

/** One user, whose compares all wait for the same rows, and as many as BENCH_USERS says. */
export const RESERVING_USERS = [1, SETTINGS.users];

const jobOf = (keys: readonly string[]) => ({ connections: CONNECTIONS, requests: compares()({ keys }) });

const perSecond = (measurement: Measurement) => measurement.perSecond;

function verdictsOf(by: string, rounds: Rounds<Kind | 'yardstick'>): Verdict[] {
  const unreserved = rounds[BASELINE];
  const verdicts = [atLeast(`${BASELINE}, ${by}: compares/s of the yardstick`, ratioOf(unreserved, rounds.yardstick, perSecond).median, MIN_SHARE_OF_YARDSTICK)];
  for (const kind of RESERVED) {
    verdicts.push(
      atLeast(`${kind}, ${by}: compares/s of the yardstick`, ratioOf(rounds[kind], rounds.yardstick, perSecond).median, MIN_RESERVED_SHARE_OF_YARDSTICK),
      atLeast(`${kind}, ${by}: compares/s of those without a reservation`, ratioOf(rounds[kind], unreserved, perSecond).median, MIN_SHARE_OF_UNRESERVED),
      atMost(`${kind}, ${by}: processor time of Postgres over those without`, ratioOf(rounds[kind], unreserved, ({ postgresCpuMs }) => postgresCpuMs).median, MAX_POSTGRES_CPU_FACTOR, '×'),
    );
  }
  return verdicts;
}
