import { figuresOf, ratioOf, type Figures, type Measurement } from './measure';
import type { Bench, PartResult } from './part';
import { ADDED_P50_MS, ADDED_P99_OF_YARDSTICK, type Scenario } from './scenarios';
import { atLeast, atMost, type Verdict } from './verdict';

/** Service and yardstick in turns. */
export async function duel(scenario: Scenario, { meter, service, yardstick }: Bench): Promise<PartResult> {
  const rounds = await meter.takeTurns({
    service: { server: service.server, job: scenario.load(service.past) },
    yardstick: { server: yardstick.server, job: (scenario.yardstickLoad ?? scenario.load)(yardstick.past) },
  });
  const figures = { service: figuresOf(rounds.service), yardstick: figuresOf(rounds.yardstick) };
  const isThroughput = scenario.kind === 'throughput';
  const of = (measurement: Measurement) => (isThroughput ? measurement.perSecond : measurement.latency.p50);
  const ratio = ratioOf(rounds.service, rounds.yardstick, of);
  return {
    name: isThroughput ? scenario.name : `${scenario.name} (latency without the slowest vendor)`,
    figures,
    ratios: {
      [isThroughput ? 'requests/s' : 'added p50']: ratio,
      'processor time of the server': ratioOf(rounds.service, rounds.yardstick, ({ serverCpuMs }) => serverCpuMs),
      'processor time of Postgres': ratioOf(rounds.service, rounds.yardstick, ({ postgresCpuMs }) => postgresCpuMs),
    },
    verdicts: isThroughput ? throughputVerdicts(scenario, ratio.median, figures.service) : addedVerdicts(figures.service, figures.yardstick),
  };
}

function throughputVerdicts({ minShare, maxCpuMs }: Scenario, ratio: number, { serverCpuMs }: Figures): Verdict[] {
  return [
    ...(minShare === undefined ? [] : [atLeast('requests/s of the yardstick', ratio, minShare)]),
    ...(maxCpuMs === undefined ? [] : [atMost('processor time of the service', serverCpuMs, maxCpuMs, 'ms')]),
  ];
}

function addedVerdicts({ latency }: Figures, { latency: bare }: Figures): Verdict[] {
  return [atMost('added p50', latency.p50, ADDED_P50_MS, 'ms'), atMost('added p99 over the yardstick\'s', latency.p99 / bare.p99, ADDED_P99_OF_YARDSTICK, '×')];
}
