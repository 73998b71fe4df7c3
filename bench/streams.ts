import { figuresOf, ratioOf, type Contestant, type Measurement, type Meter } from './measure';
import type { Bench, PartResult } from './part';
import { startService, type ServerProgram } from './processes';
import { rssOf } from './resident';
import { compares, type Job, type Past, type Scenario } from './scenarios';
import { isWanted, MODELS, SETTINGS } from './settings';
import { median } from './statistics';
import { atMost, type Verdict } from './verdict';

const TEXTS = 40;
const EVERY_MS = 100;
const STREAM_SECONDS = (TEXTS * EVERY_MS) / 1000;
const EVENTS = TEXTS * MODELS.length;
const MAX_SSE_MICROS = 45;
const MAX_JSON_MICROS = 40;
const MAX_SSE_OVER_JSON = 1.3;
const MAX_FIRST_TEXT_P50_MS = 3;
const MAX_FIRST_TEXT_P99_MS = 25;

/** Streams that only have to be open: half of a second's two events a second for each vendor are enough to keep them so. */
const OPEN_TEXTS = 16;
const OPEN_EVERY_MS = 500;
const OPEN_RAMP_SECONDS = 3;
const MAX_OPEN_KIB = 120;
const WARM_UP_COMPARES = 1000;

/** Compares whose vendors send each event alone. */
function streamJob({ keys }: Past, connections: number, isStreamed: boolean): Job {
  return {
    connections,
    requests: compares({ directives: `[[texts=${TEXTS}]] [[every=${EVERY_MS}]]`, isStreamed })({ keys }),
    rampSeconds: STREAM_SECONDS,
    ...(isStreamed && { streamedModels: MODELS.length }),
  };
}

/** For profiles. */
export const STREAM_SCENARIOS: readonly Scenario[] = [true, false].map((isStreamed): Scenario => ({
  name: `streams, events that come singly, ${isStreamed ? 'SSE' : 'JSON'}`,
  kind: 'throughput',
  load: (past) => streamJob(past, SETTINGS.streams / 2, isStreamed),
})).filter(({ name }) => isWanted(name));

/** Compares whose vendors send their events singly, over SSE and over JSON. */
export async function streams(bench: Bench): Promise<PartResult[]> {
  return [await processorTime(bench), await firstTexts(bench), await openStreams(bench)];
}

async function processorTime({ meter, service, yardstick }: Bench): Promise<PartResult> {
  const connections = Math.max(1, Math.round(SETTINGS.streams / 2));
  const rounds = await meter.takeTurns({
    SSE: { server: service.server, job: streamJob(service.past, connections, true) },
    JSON: { server: service.server, job: streamJob(service.past, connections, false) },
    'yardstick JSON': { server: yardstick.server, job: streamJob(yardstick.past, connections, false) },
  }, { count: connections }, { count: 2 * connections });
  const micros = (measurements: readonly Measurement[]) => (1000 * median(measurements.map(({ serverCpuMs }) => serverCpuMs))) / EVENTS;
  const ratio = ratioOf(rounds.SSE, rounds.JSON, ({ serverCpuMs }) => serverCpuMs);
  return {
    name: `streams: ${connections} parallel compares of ${MODELS.length} models, ${1000 / EVERY_MS} events/s of each, which come singly`,
    figures: { SSE: figuresOf(rounds.SSE), JSON: figuresOf(rounds.JSON), 'yardstick JSON': figuresOf(rounds['yardstick JSON']) },
    ratios: { 'processor time, SSE over JSON': ratio, 'processor time, JSON over yardstick': ratioOf(rounds.JSON, rounds['yardstick JSON'], ({ serverCpuMs }) => serverCpuMs) },
    values: { sseMicrosAnEvent: micros(rounds.SSE), jsonMicrosAnEvent: micros(rounds.JSON), yardstickMicrosAnEvent: micros(rounds['yardstick JSON']) },
    verdicts: [
      atMost('processor time an event, SSE', micros(rounds.SSE), MAX_SSE_MICROS, 'µs', 1),
      atMost('processor time an event, JSON', micros(rounds.JSON), MAX_JSON_MICROS, 'µs', 1),
      atMost('processor time, SSE over JSON', ratio.median, MAX_SSE_OVER_JSON, '×'),
    ],
  };
}

async function firstTexts({ meter, service }: Bench): Promise<PartResult> {
  const job = streamJob(service.past, SETTINGS.streams, true);
  const measurements: Measurement[] = [];
  for (let round = 0; round < SETTINGS.rounds; round += 1) measurements.push(await meter.measure({ server: service.server, job }, { count: 2 * SETTINGS.streams }));
  const figures = figuresOf(measurements);
  const [p50, p99] = [figures.firstText.p50, figures.firstText.p99];
  return {
    name: `streams: time added to the first text, ${SETTINGS.streams} parallel over SSE`,
    figures: { SSE: figures },
    values: { firstTextP50Ms: p50, firstTextP95Ms: figures.firstText.p95, firstTextP99Ms: p99, firstTextMaxMs: figures.firstText.max },
    verdicts: [
      atMost('time added to the first text, p50', p50, MAX_FIRST_TEXT_P50_MS, 'ms'),
      atMost('time added to the first text, p99', p99, MAX_FIRST_TEXT_P99_MS, 'ms'),
      countVerdict('first texts seen', measurements.reduce((sum, { firstTexts: seen }) => sum + seen, 0), figures.requests * MODELS.length),
    ],
  };
}

/** A service that has compiled what it needs and holds nothing else, so that what it gains is what the streams take. */
async function openStreams({ meter, ground, service: { past } }: Bench): Promise<PartResult> {
  const server = await startService(ground.serviceUrl, ground.vendorUrl);
  try {
    await warmUp(meter, server, past);
    const job = { ...streamJob(past, SETTINGS.openStreams, true), rampSeconds: OPEN_RAMP_SECONDS, requests: compares({ directives: `[[texts=${OPEN_TEXTS}]] [[every=${OPEN_EVERY_MS}]]`, isStreamed: true })(past) };
    const { before, peak, result } = await rssOf(server, () => meter.measure({ server, job }, { count: SETTINGS.openStreams }));
    const figures = figuresOf([result]);
    const eachKib = ((peak - before) * 1024) / SETTINGS.openStreams;
    return {
      name: `streams: ${SETTINGS.openStreams} open at once in one process`,
      figures: { SSE: figures },
      values: { rssBeforeMib: before, rssPeakMib: peak, kibAStream: eachKib },
      verdicts: [
        countVerdict('open streams that were served', result.requests - Object.values(result.failures).reduce((sum, count) => sum + count, 0), SETTINGS.openStreams),
        atMost('memory of an open stream', eachKib, MAX_OPEN_KIB, 'KiB', 0),
      ],
    };
  } finally {
    await server.stop();
  }
}

async function warmUp(meter: Meter, server: ServerProgram, past: Past): Promise<void> {
  for (const isStreamed of [false, true]) {
    const contestant: Contestant = { server, job: { connections: 32, requests: compares({ isStreamed })(past) } };
    await meter.measure(contestant, { count: WARM_UP_COMPARES });
  }
}

function countVerdict(what: string, count: number, wanted: number): Verdict {
  return { what, value: count.toLocaleString('en'), target: `= ${wanted.toLocaleString('en')}`, isMet: count === wanted };
}
