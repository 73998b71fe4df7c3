import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from './measure';
import type { PartResult } from './part';
import type { BusyTime, Share } from './profile';
import { FOLDER, say } from './settings';
import type { Verdict } from './verdict';

const NAME_WIDTH = 20;
const WIDTH = 13;
// The last two are processor time of the server and of Postgres, in ms for each request.
const HEADS = ['requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'CPU ms', 'Postgres ms'];

/** Prints one part when it is done. */
export function printPart({ name, figures, ratios = {}, values = {}, verdicts }: PartResult): void {
  say();
  say(name);
  if (figures !== undefined) printTable(figures);
  for (const [of, { median, least, most }] of Object.entries(ratios)) say(`  ratio ${of}: ${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`);
  if (Object.keys(values).length > 0) say(`  ${Object.entries(values).map(([of, value]) => `${of} ${value.toFixed(1)}`).join(', ')}`);
  printVerdicts(verdicts);
}

/** Says at the end what was met and repeats what was not. */
export function printSummary(verdicts: readonly Verdict[]): void {
  const missed = verdicts.filter(({ isMet }) => !isMet);
  say();
  say(`${verdicts.length - missed.length} of ${verdicts.length} targets met${missed.length > 0 ? '; missed:' : '.'}`);
  printVerdicts(missed);
}

/** A row for each contestant. */
function printTable(figures: Readonly<Record<string, Figures>>): void {
  say(row('', HEADS));
  for (const [name, each] of Object.entries(figures)) say(row(name, cells(each)));
  for (const [name, { failures }] of Object.entries(figures)) {
    if (Object.keys(failures).length > 0) say(`  NOT A MEASUREMENT: ${name} was answered ${JSON.stringify(failures)}`);
  }
}

/** Prints figures beside their targets. */
export function printVerdicts(verdicts: readonly Verdict[]): void {
  for (const { what, value, target, isMet } of verdicts) say(`  ${isMet ? 'pass' : 'MISS'}  ${what}: ${value} (target ${target})`);
}

/** Prints where the time of a profile went. */
export function printProfile(name: string, { functions, packages, ours, busyShare }: BusyTime): void {
  say();
  say(`${name}: main thread busy ${(busyShare * 100).toFixed(0)} %; of that`);
  say(`  ${'own time of functions'.padEnd(74)}${'by package, Node under its caller'.padEnd(44)}whole time of our functions`);
  for (let index = 0; index < functions.length; index += 1) say(`  ${timed(functions[index]).padEnd(74)}${timed(packages[index]).padEnd(44)}${timed(ours[index])}`);
}

/** Writes a result for machines. */
export function writeResult(file: string, result: unknown): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, file), `${JSON.stringify(result)}\n`);
  say();
  say(`Written to .local/bench/${file}`);
}

function cells({ perSecond, latency, serverCpuMs, postgresCpuMs }: Figures): string[] {
  return [perSecond.toFixed(perSecond < 100 ? 1 : 0), latency.p50.toFixed(2), latency.p95.toFixed(2), latency.p99.toFixed(2), latency.max.toFixed(2), serverCpuMs.toFixed(3), postgresCpuMs.toFixed(3)];
}

function row(name: string, values: readonly string[]): string {
  return `  ${name.padEnd(NAME_WIDTH)}${values.map((value) => value.padStart(WIDTH)).join('')}`;
}

function timed(time: Share | undefined): string {
  return time === undefined ? '' : `${(time.share * 100).toFixed(1).padStart(5)} %  ${time.name.slice(0, 62)}`;
}
