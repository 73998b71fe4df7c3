import type { Bench } from './ground';
import { figuresOf, type Contestant } from './measure';
import type { PartResult } from './report';
import { compares } from './requests';
import { MODELS, SETTINGS } from './settings';

/** The most milliseconds of processor time a compare, and until the first text of a model in the median and at p99. */
type Targets = Record<string, { cpu?: number; p50?: number; p99?: number }>;

/** The models of a compare send `texts` events each, singly, one in `everyMs`. */
const PACES = [
  {
    what: 'streams',
    texts: 40,
    everyMs: 100,
    parallel: SETTINGS.streams,
    formats: ['SSE'],
    targets: { 'service SSE': { cpu: 7.2, p50: 3, p99: 25 } } as Targets,
  },
  {
    what: 'live answers',
    texts: 300,
    everyMs: 20,
    parallel: Math.min(60, SETTINGS.streams),
    formats: ['JSON', 'SSE'],
    targets: { 'service JSON': { cpu: 4 } } as Targets,
  },
];

/** Models that write for seconds: processor time of a compare, and the time until the first text of a model arrives. */
export async function* streams({ meter, sides }: Bench): AsyncGenerator<PartResult> {
  for (const { what, texts, everyMs, parallel, formats, targets } of PACES) {
    const [job, directives] = [
      { connections: parallel, rampSeconds: (texts * everyMs) / 1000 },
      `[[texts=${texts}]] [[every=${everyMs}]]`,
    ];
    const contestants = Object.entries(sides).flatMap(([name, side]) =>
      formats.map((format): [string, Contestant] => [
        `${name} ${format}`,
        {
          server: side.server,
          job: {
            ...job,
            requests: compares(side, { directives, isStreamed: format === 'SSE' }),
            streamedModels: format === 'SSE' ? MODELS.length : 0,
          },
        },
      ]),
    );
    const rounds = await meter.takeTurns(Object.fromEntries(contestants), { count: parallel }, { count: 2 * parallel });
    const figures = Object.fromEntries(Object.entries(rounds).map(([of, all]) => [of, figuresOf(all)]));
    const values = Object.entries(figures).flatMap(
      ([
        of,
        {
          serverCpuMs,
          firstText: { p50, p99 },
        },
      ]) =>
        [
          {
            what: `processor time a compare, ${of} (${((1000 * serverCpuMs) / (texts * MODELS.length)).toFixed(1)} µs an event)`,
            value: serverCpuMs,
            unit: 'ms',
            most: targets[of]?.cpu,
          },
          { what: `first text after the vendor sent it, p50, ${of}`, value: p50, unit: 'ms', most: targets[of]?.p50 },
          { what: `the same, p99, ${of}`, value: p99, unit: 'ms', most: targets[of]?.p99 },
        ].slice(0, of.endsWith('SSE') ? 3 : 1),
    );
    yield {
      name: `${what}: ${parallel} parallel compares of ${MODELS.length} models, ${1000 / everyMs} events/s of each for ${job.rampSeconds} s`,
      figures,
      values,
    };
  }
}
