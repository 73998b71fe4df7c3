import type { LoadJob, LoadReport } from './load';
import type { ProcessFamily } from './process-family';
import type { Load, ServerProgram } from './processes';
import type { Job } from './scenarios';
import { SETTINGS } from './settings';
import { median, medianSpread, type Spread } from './statistics';

/** Who is measured, with what. */
export interface Contestant {
  server: ServerProgram;
  job: Job;
}

/** When a measurement ends: after a number of seconds or of requests. */
export type Until = Pick<LoadJob, 'seconds' | 'count'>;

/** One measurement, with what it cost. Processor times in milliseconds for each request. */
export interface Measurement extends LoadReport {
  serverCpuMs: number;
  postgresCpuMs: number;
}

/** The medians over the rounds. */
export interface Figures {
  requests: number;
  perSecond: number;
  latency: Spread;
  firstText: Spread;
  serverCpuMs: number;
  postgresCpuMs: number;
  failures: Record<string, number>;
}

/** The results of each contestant, round by round. */
export type Rounds<Name extends string> = Record<Name, Measurement[]>;

/** Measures load together with the processor time that it takes a server and Postgres. */
export class Meter {
  constructor(private readonly load: Load, private readonly postgres: ProcessFamily) {}

  async measure({ server, job }: Contestant, until: Until): Promise<Measurement> {
    const [serverBefore, postgresBefore] = [server.cpuSeconds(), this.postgres.cpuSeconds()];
    const report = await this.load.run({ ...job, ...until, port: server.port });
    const each = (seconds: number) => (1000 * seconds) / report.requests;
    return { ...report, serverCpuMs: each(server.cpuSeconds() - serverBefore), postgresCpuMs: each(this.postgres.cpuSeconds() - postgresBefore) };
  }

  /** All contestants take turns after a time to warm up, so that whatever else the machine does falls on all of them. */
  async takeTurns<Name extends string>(
    contestants: Record<Name, Contestant>, warmUp: Until = { seconds: SETTINGS.warmUpSeconds }, each: Until = { seconds: SETTINGS.seconds },
  ): Promise<Rounds<Name>> {
    const all = Object.entries<Contestant>(contestants) as [Name, Contestant][];
    for (const [, contestant] of all) await this.measure(contestant, warmUp);
    const rounds = Object.fromEntries(all.map(([name]) => [name, [] as Measurement[]])) as Rounds<Name>;
    for (let round = 0; round < SETTINGS.rounds; round += 1) {
      for (const [name, contestant] of all) rounds[name].push(await this.measure(contestant, each));
    }
    return rounds;
  }
}

/** The medians over the rounds, and all failures. */
export function figuresOf(rounds: readonly Measurement[]): Figures {
  const failures: Record<string, number> = {};
  for (const round of rounds) for (const [status, count] of Object.entries(round.failures)) failures[status] = (failures[status] ?? 0) + count;
  const middle = (of: (round: Measurement) => number) => median(rounds.map(of));
  return {
    requests: rounds.reduce((sum, { requests }) => sum + requests, 0),
    perSecond: middle(({ perSecond }) => perSecond),
    latency: medianSpread(rounds.map(({ latency }) => latency)),
    firstText: medianSpread(rounds.map(({ firstText }) => firstText)),
    serverCpuMs: middle(({ serverCpuMs }) => serverCpuMs),
    postgresCpuMs: middle(({ postgresCpuMs }) => postgresCpuMs),
    failures,
  };
}

/** A quotient of two contestants, round by round. */
export interface Ratio {
  median: number;
  least: number;
  most: number;
}

/** The ratio of one contestant's result to the other's in the same round. */
export function ratioOf(rounds: readonly Measurement[], others: readonly Measurement[], of: (measurement: Measurement) => number): Ratio {
  const ratios = rounds.flatMap((round, index) => (others[index] === undefined ? [] : [of(round) / of(others[index])]));
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}
