import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from './measure';
import { FOLDER, say } from './settings';

/** A value, with its target if it has one. */
export interface Value {
  what: string;
  value: number;
  unit: string;
  most?: number | undefined;
  least?: number | undefined;
}

/** The result of a part: a row of figures for each server, and values. */
export interface PartResult {
  name: string;
  figures?: Record<string, Figures>;
  values: Value[];
}

// The last two are processor time of the server and of Postgres for each request.
const HEADS = ['requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'CPU ms', 'Postgres ms'];

/** Prints a part. */
export function printPart({ name, figures = {}, values }: PartResult): void {
  say(`\n${name}`);
  if (Object.keys(figures).length > 0) say(row('', HEADS));
  for (const [
    server,
    {
      perSecond,
      latency: { p50, p95, p99, max },
      serverCpuMs,
      postgresCpuMs,
      failures,
    },
  ] of Object.entries(figures)) {
    say(
      row(server, [
        perSecond.toFixed(1),
        ...[p50, p95, p99, max].map((ms) => ms.toFixed(2)),
        serverCpuMs.toFixed(3),
        postgresCpuMs.toFixed(3),
      ]),
    );
    if (Object.keys(failures).length > 0)
      say(`  NOT A MEASUREMENT: ${server} was answered ${JSON.stringify(failures)}`);
  }
  for (const value of values) say(lineOf(value));
}

/** Prints the missed targets of all parts, and writes the result to a file. */
export function finish(results: readonly PartResult[]): void {
  const targets = results
    .flatMap(({ name, values }) => values.map((value) => ({ ...value, what: `${name}: ${value.what}` })))
    .filter(({ most, least }) => most !== undefined || least !== undefined);
  const missed = targets.filter((value) => !isMet(value));
  say(`\n${targets.length - missed.length} of ${targets.length} targets met${missed.length > 0 ? '; missed:' : '.'}`);
  for (const value of missed) say(lineOf(value));
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(
    join(FOLDER, 'result.json'),
    `${JSON.stringify({ at: new Date().toISOString(), node: process.version, results })}\n`,
  );
  say('\nWritten to .local/bench/result.json');
}

function isMet({ value, most = Infinity, least = -Infinity }: Value): boolean {
  return value <= most && value >= least;
}

function lineOf(of: Value): string {
  const { what, value, unit, most, least } = of;
  if (most === undefined && least === undefined) return `        ${what}: ${value.toFixed(2)} ${unit}`;
  return `  ${isMet(of) ? 'pass' : 'MISS'}  ${what}: ${value.toFixed(2)} ${unit} (target ${most === undefined ? `≥ ${least}` : `≤ ${most}`})`;
}

function row(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(20)}${cells.map((cell) => cell.padStart(13)).join('')}`;
}
