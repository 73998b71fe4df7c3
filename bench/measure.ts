import type { LoadJob, LoadReport } from './load';
import type { ProcessFamily } from './process-family';
import type { Load, ServerProgram } from './processes';
import { SETTINGS } from './settings';
import { median, type Spread } from './statistics';

/** A server that is measured, with the load on it. */
export interface Contestant {
  server: ServerProgram;
  job: Omit<LoadJob, 'port' | 'seconds' | 'count'>;
}

/** When a measurement ends: after a number of seconds or of requests. */
export type Until = Pick<LoadJob, 'seconds' | 'count'>;

/** One measurement, or the medians over the rounds. Processor times in milliseconds for each request. */
export interface Figures extends LoadReport {
  serverCpuMs: number;
  postgresCpuMs: number;
}

/** Measures load together with the processor time that it takes a server and Postgres. */
export class Meter {
  constructor(
    private readonly load: Load,
    private readonly postgres: ProcessFamily,
  ) {}

  async measure({ server, job }: Contestant, until: Until): Promise<Figures> {
    const [serverBefore, postgresBefore] = [server.family.cpuSeconds(), this.postgres.cpuSeconds()];
    const report = await this.load.run({ ...job, ...until, port: server.port });
    const each = (seconds: number) => (1000 * seconds) / report.requests;
    return {
      ...report,
      serverCpuMs: each(server.family.cpuSeconds() - serverBefore),
      postgresCpuMs: each(this.postgres.cpuSeconds() - postgresBefore),
    };
  }

  /**
   * The rounds of each contestant. They take turns after a time to warm up, so that other work on the machine affects
   * all of them.
   */
  async takeTurns(
    contestants: Record<string, Contestant>,
    warmUp: Until = { seconds: SETTINGS.warmUpSeconds },
    each: Until = { seconds: SETTINGS.seconds },
  ): Promise<Record<string, Figures[]>> {
    for (const contestant of Object.values(contestants)) await this.measure(contestant, warmUp);
    const rounds: Record<string, Figures[]> = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
    for (let round = 0; round < SETTINGS.rounds; round += 1) {
      for (const [name, contestant] of Object.entries(contestants))
        rounds[name]?.push(await this.measure(contestant, each));
    }
    return rounds;
  }
}

/** The medians over the rounds, and all requests and failures. */
export function figuresOf(rounds: readonly Figures[]): Figures {
  const failures: Record<string, number> = {};
  for (const round of rounds)
    for (const [status, count] of Object.entries(round.failures)) failures[status] = (failures[status] ?? 0) + count;
  const middle = (of: (round: Figures) => number) => median(rounds.map(of));
  const spread = (of: (round: Figures) => Spread) => ({
    p50: middle((round) => of(round).p50),
    p95: middle((round) => of(round).p95),
    p99: middle((round) => of(round).p99),
    max: middle((round) => of(round).max),
  });
  return {
    requests: rounds.reduce((sum, { requests }) => sum + requests, 0),
    failures,
    perSecond: middle(({ perSecond }) => perSecond),
    latency: spread(({ latency }) => latency),
    firstText: spread(({ firstText }) => firstText),
    serverCpuMs: middle(({ serverCpuMs }) => serverCpuMs),
    postgresCpuMs: middle(({ postgresCpuMs }) => postgresCpuMs),
  };
}

/** The ratios of one contestant's figure to another's in the same rounds. */
export function ratiosOf(
  rounds: readonly Figures[] = [],
  others: readonly Figures[] = [],
  of: (figures: Figures) => number,
): number[] {
  return rounds.flatMap((round, index) => (others[index] === undefined ? [] : [of(round) / of(others[index])]));
}
