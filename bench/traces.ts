import { figuresOf, ratioOf, type Contestant, type Measurement } from './measure';
import type { Bench, PartResult } from './part';
import { Collector, startService, type ServerProgram } from './processes';
import { compares } from './scenarios';
import { SETTINGS } from './settings';
import { atMost } from './verdict';

const PARALLEL = 64;
/** The spans of a compare of four models: the request, the compare, reserve, four calls, settle. */
const SPANS = 8;

/** Largest processor time a compare, over that without traces; `off` over the version before. */
const MAX_RATIOS = { off: 1.01, all: 1.15, 'a tenth': 1.05 };

type Name = keyof typeof MAX_RATIOS | 'before';

/** The same compares without traces, with all of them recorded and with a tenth; where another version is named, also by that one. */
export async function traces({ meter, ground }: Bench): Promise<PartResult> {
  const collector = await Collector.start();
  const start = (variables: Record<string, string> = {}, main?: string) => startService(ground.serviceUrl, ground.vendorUrl, { variables, ...(main !== undefined && { main }) });
  // As JSON, so that the collector can count what comes.
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const servers: Partial<Record<Name, ServerProgram>> = {
    ...(SETTINGS.before !== undefined && { before: await start({}, SETTINGS.before) }),
    off: await start(),
    all: await start(on),
    'a tenth': await start({ ...on, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }),
  };
  try {
    const job = { connections: PARALLEL, requests: compares()(ground.service) };
    const rounds = await meter.takeTurns(Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { server, job }])) as Record<Name, Contestant>);
    await servers.all?.stop();
    const ratio = (name: Name, other: Name) => ratioOf(rounds[name], rounds[other], ({ serverCpuMs }: Measurement) => serverCpuMs);
    const pairs: (readonly [keyof typeof MAX_RATIOS, Name])[] = [...(servers.before === undefined ? [] : [['off', 'before'] as const]), ['all', 'off'], ['a tenth', 'off']];
    return {
      name: `traces: compare of 4 models, vendor of 0 ms, ${PARALLEL} parallel`,
      figures: Object.fromEntries(Object.entries(rounds).map(([name, measured]) => [name, figuresOf(measured)])),
      ratios: Object.fromEntries(pairs.map(([name, other]) => [`processor time, ${name} over ${other}`, ratio(name, other)])),
      values: { spansTaken: await collector.spans(), spansOfAllCounted: SPANS * rounds.all.reduce((sum, { requests }) => sum + requests, 0) },
      verdicts: pairs.map(([name, other]) => atMost(`processor time a compare, ${name} over ${other}`, ratio(name, other).median, MAX_RATIOS[name], '×', 3)),
    };
  } finally {
    for (const server of Object.values(servers)) await server.stop();
    await collector.stop();
  }
}
