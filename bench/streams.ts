import type { Bench, Past } from './ground';
import { figuresOf, ratiosOf, type Contestant } from './measure';
import type { PartResult, Value } from './report';
import { compares } from './requests';
import { MODELS, SETTINGS } from './settings';
import { median } from './statistics';

const TEXTS = 40;
const EVERY_MS = 100;
const EVENTS = TEXTS * MODELS.length;
const TARGETS = { sseMicros: 45, jsonMicros: 40, sseOverJson: 1.3, firstTextP50Ms: 3, firstTextP99Ms: 25 };

/** Compares whose vendors send each event alone, over SSE and over JSON: processor time an event, and the time until the first text of a model arrives. */
export async function streams({ meter, servers }: Bench): Promise<PartResult> {
  const contestants: Record<string, Contestant> = {};
  for (const [name, { server, past }] of Object.entries(servers)) {
    contestants[`${name} SSE`] = { server, job: jobOf(past, true) };
    contestants[`${name} JSON`] = { server, job: jobOf(past, false) };
  }
  const rounds = await meter.takeTurns(contestants, { count: SETTINGS.streams }, { count: 2 * SETTINGS.streams });
  const figures = Object.fromEntries(Object.entries(rounds).map(([name, all]) => [name, figuresOf(all)]));
  const most: Record<string, number> = { 'service SSE': TARGETS.sseMicros, 'service JSON': TARGETS.jsonMicros };
  const values: Value[] = Object.entries(figures).map(([name, { serverCpuMs }]) => ({ what: `processor time an event, ${name}`, value: (1000 * serverCpuMs) / EVENTS, unit: 'µs', most: most[name] }));
  values.push({ what: 'processor time, SSE over JSON', value: median(ratiosOf(rounds['service SSE'], rounds['service JSON'], ({ serverCpuMs }) => serverCpuMs)), unit: '×', most: TARGETS.sseOverJson });
  for (const name of Object.keys(servers)) {
    const { p50 = Number.NaN, p99 = Number.NaN } = figures[`${name} SSE`]?.firstText ?? {};
    const isService = name === 'service';
    values.push({ what: `first text after the vendor sent it, p50, ${name}`, value: p50, unit: 'ms', ...(isService && { most: TARGETS.firstTextP50Ms }) });
    values.push({ what: `the same, p99, ${name}`, value: p99, unit: 'ms', ...(isService && { most: TARGETS.firstTextP99Ms }) });
  }
  return { name: `streams: ${SETTINGS.streams} parallel compares of ${MODELS.length} models, ${1000 / EVERY_MS} events/s of each, which come singly`, figures, values };
}

function jobOf(past: Past, isStreamed: boolean): Contestant['job'] {
  return {
    connections: SETTINGS.streams,
    requests: compares(past, { directives: `[[texts=${TEXTS}]] [[every=${EVERY_MS}]]`, isStreamed }),
    rampSeconds: (TEXTS * EVERY_MS) / 1000,
    ...(isStreamed && { streamedModels: MODELS.length }),
  };
}
