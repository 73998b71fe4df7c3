import { onDatabase } from '../test/support/database';
import { makeCallers, type BenchCaller } from './callers';
import { rawRequest } from './connection';
import { seededId, seedEvals, settle, type SeededUser } from './databases';
import { figuresOf, ratioOf, type Measurement } from './measure';
import type { Bench, PartResult } from './part';
import { MODELS, SETTINGS } from './settings';
import { atMost } from './verdict';

const MAX_RATIO = 1.3;
const VARIETY = 64;
const CONNECTIONS = 1;
/** Evals of the other user, all of them newer. */
const NEWER_EVALS = 20_000;
const PART = 20_000;

type Reader = SeededUser & BenchCaller & { evals: number };

const READS: Record<string, (reader: Reader, index: number) => string> = {
  'first page': () => '/api/v1/evals',
  'eval by id': (reader, index) => `/api/v1/evals/${seededId(reader, 1 + Math.floor((reader.evals * ((index * 13) % VARIETY)) / VARIETY))}`,
};

/** Reads of a user with a large past beside those of one whose evals are all newer and fewer. */
export async function past({ meter, ground, service: { server } }: Bench): Promise<PartResult[]> {
  const [older, newer] = await readers(server.port, ground.serviceUrl);
  const results: PartResult[] = [];
  for (const [name, pathOf] of Object.entries(READS)) {
    const contestant = (reader: Reader) => ({
      server, job: { connections: CONNECTIONS, requests: Array.from({ length: VARIETY }, (_, index) => rawRequest('GET', pathOf(reader, index), reader.key)) },
    });
    const rounds = await meter.takeTurns({ older: contestant(older), newer: contestant(newer) });
    const ratio = (of: (measurement: Measurement) => number) => ratioOf(rounds.older, rounds.newer, of);
    const [latency, cpu] = [ratio((measurement) => measurement.latency.p50), ratio(({ serverCpuMs, postgresCpuMs }) => serverCpuMs + postgresCpuMs)];
    results.push({
      name: `two users, ${name}: one with ${older.evals.toLocaleString('en')} evals, all older than the ${newer.evals.toLocaleString('en')} of the other`,
      figures: { older: figuresOf(rounds.older), newer: figuresOf(rounds.newer) },
      ratios: { 'p50, older over newer': latency, 'processor time, older over newer': cpu },
      verdicts: [atMost(`${name}: p50 of the user with a large past over the other's`, latency.median, MAX_RATIO, '×'), atMost(`${name}: processor time, the same`, cpu.median, MAX_RATIO, '×')],
    });
  }
  return results;
}

async function readers(port: number, serviceUrl: string): Promise<[Reader, Reader]> {
  const month = new Date().toISOString().slice(0, 7);
  // Made-up ids sort by user before they sort by number.
  const [first, second] = (await makeCallers(port, 2, 'past')).map((caller) => ({ ...caller, month, models: MODELS })).sort((left, right) => (seededId(left, 1) < seededId(right, 1) ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error('No callers.');
  const all = [{ ...first, evals: SETTINGS.pastEvals }, { ...second, evals: NEWER_EVALS }] satisfies [Reader, Reader];
  await onDatabase(serviceUrl, async (client) => {
    for (const reader of all) {
      for (let seeded = 0; seeded < reader.evals; seeded += PART) await seedEvals(client, reader, seeded + 1, Math.min(reader.evals, seeded + PART));
    }
    await settle(client);
  });
  return all;
}
