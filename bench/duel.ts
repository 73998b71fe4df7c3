import type { LoadReport } from './load';
import type { Load, ServerProgram } from './processes';
import type { Past, Scenario } from './scenarios';
import { ADDED_P50_MS, ADDED_P99_OF_YARDSTICK } from './scenarios';
import { SETTINGS } from './settings';
import { median, medianSpread, type Spread } from './statistics';

/** One of the two servers with what stands in its database. */
export interface Contender {
  server: ServerProgram;
  past: Past;
}

/** One measurement, with what it cost the server. */
interface Measurement extends LoadReport {
  /** Milliseconds of processor time for each request. */
  cpuMs: number | undefined;
}

/** The median over the rounds. */
export interface Figures {
  perSecond: number;
  latency: Spread;
  cpuMs: number | undefined;
  failures: Record<string, number>;
}

/** A figure beside its target. */
export interface Verdict {
  what: string;
  value: string;
  target: string;
  isMet: boolean;
}

/** What came of a scenario. */
export interface DuelResult {
  scenario: string;
  kind: Scenario['kind'];
  service: Figures;
  yardstick: Figures;
  /** Service over yardstick, round by round: requests per second, or added p50. */
  ratio: { median: number; least: number; most: number };
  verdicts: Verdict[];
}

/** Service and yardstick take turns, so that whatever else the machine does falls on both. */
export async function duel(scenario: Scenario, load: Load, service: Contender, yardstick: Contender): Promise<DuelResult> {
  for (const contender of [service, yardstick]) await load.run({ ...scenario.load(contender.past), port: contender.server.port, seconds: SETTINGS.warmUpSeconds });
  const rounds: { service: Measurement; yardstick: Measurement }[] = [];
  for (let round = 0; round < SETTINGS.rounds; round += 1) {
    rounds.push({ service: await measured(scenario, load, service), yardstick: await measured(scenario, load, yardstick) });
  }
  const figures = { service: figuresOf(rounds.map((round) => round.service)), yardstick: figuresOf(rounds.map((round) => round.yardstick)) };
  const of = (measurement: Measurement) => (scenario.kind === 'throughput' ? measurement.perSecond : measurement.latency.p50);
  const ratios = rounds.map((round) => of(round.service) / of(round.yardstick));
  return {
    scenario: scenario.name,
    kind: scenario.kind,
    ...figures,
    ratio: { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) },
    verdicts: scenario.kind === 'throughput' ? [shareVerdict(scenario, median(ratios))] : addedVerdicts(figures.service, figures.yardstick),
  };
}

async function measured(scenario: Scenario, load: Load, { server, past }: Contender): Promise<Measurement> {
  const cpuBefore = server.cpuSeconds();
  const report = await load.run({ ...scenario.load(past), port: server.port, seconds: SETTINGS.seconds });
  const cpuAfter = server.cpuSeconds();
  const isKnown = cpuBefore !== undefined && cpuAfter !== undefined;
  return { ...report, cpuMs: isKnown ? ((cpuAfter - cpuBefore) * 1000) / report.requests : undefined };
}

function figuresOf(rounds: readonly Measurement[]): Figures {
  const cpu = rounds.flatMap(({ cpuMs }) => cpuMs ?? []);
  const failures: Record<string, number> = {};
  for (const round of rounds) for (const [status, count] of Object.entries(round.failures)) failures[status] = (failures[status] ?? 0) + count;
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    latency: medianSpread(rounds.map(({ latency }) => latency)),
    cpuMs: cpu.length === rounds.length ? median(cpu) : undefined,
    failures,
  };
}

function shareVerdict({ minShare = 0.5 }: Scenario, ratio: number): Verdict {
  return { what: 'requests/s of the yardstick', value: percent(ratio), target: `≥ ${percent(minShare)}`, isMet: ratio >= minShare };
}

function addedVerdicts({ latency }: Figures, { latency: bare }: Figures): Verdict[] {
  const ratio = latency.p99 / bare.p99;
  return [
    { what: 'added p50', value: `${latency.p50.toFixed(2)} ms`, target: `≤ ${ADDED_P50_MS} ms`, isMet: latency.p50 <= ADDED_P50_MS },
    { what: 'added p99 over the yardstick\'s', value: `${ratio.toFixed(2)} ×`, target: `≤ ${ADDED_P99_OF_YARDSTICK} ×`, isMet: ratio <= ADDED_P99_OF_YARDSTICK },
  ];
}

/** 0.5 as 50 %. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
