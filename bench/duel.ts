import { figuresOf, ratioOf, type Figures, type Measurement, type Meter, type Ratio } from './measure';
import type { ServerProgram } from './processes';
import type { Past, Scenario } from './scenarios';
import { ADDED_P50_MS, ADDED_P99_OF_YARDSTICK } from './scenarios';
import { atLeast, atMost, type Verdict } from './verdict';

export type { Verdict } from './verdict';

/** One of the two servers with what stands in its database. */
export interface Contender {
  server: ServerProgram;
  past: Past;
}

/** What came of a scenario. */
export interface DuelResult {
  scenario: string;
  kind: Scenario['kind'];
  service: Figures;
  yardstick: Figures;
  /** Service over yardstick, round by round: requests per second, or added p50. */
  ratio: Ratio;
  /** The same of the servers' processor time a request. */
  cpuRatio: Ratio;
  verdicts: Verdict[];
}

/** Service and yardstick in turns. */
export async function duel(scenario: Scenario, meter: Meter, service: Contender, yardstick: Contender): Promise<DuelResult> {
  const contestant = ({ server, past }: Contender) => ({ server, job: scenario.load(past) });
  const rounds = await meter.takeTurns({ service: contestant(service), yardstick: contestant(yardstick) });
  const figures = { service: figuresOf(rounds.service), yardstick: figuresOf(rounds.yardstick) };
  const of = (measurement: Measurement) => (scenario.kind === 'throughput' ? measurement.perSecond : measurement.latency.p50);
  const ratio = ratioOf(rounds.service, rounds.yardstick, of);
  return {
    scenario: scenario.name,
    kind: scenario.kind,
    ...figures,
    ratio,
    cpuRatio: ratioOf(rounds.service, rounds.yardstick, ({ serverCpuMs }) => serverCpuMs),
    verdicts: scenario.kind === 'throughput' ? [atLeast('requests/s of the yardstick', ratio.median, scenario.minShare ?? 0.5)] : addedVerdicts(figures.service, figures.yardstick),
  };
}

function addedVerdicts({ latency }: Figures, { latency: bare }: Figures): Verdict[] {
  return [atMost('added p50', latency.p50, ADDED_P50_MS, 'ms'), atMost('added p99 over the yardstick\'s', latency.p99 / bare.p99, ADDED_P99_OF_YARDSTICK, '×')];
}
