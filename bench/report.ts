import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuelResult, Figures, Verdict } from './duel';
import type { BusyTime, Share } from './profile';
import { FOLDER, say } from './settings';

const COLUMNS = [12, 12, 12, 12, 12, 14] as const;

/** Prints one scenario as it is done. */
export function printDuel(result: DuelResult): void {
  const { kind, service, yardstick, ratio } = result;
  say();
  say(`${result.scenario}${kind === 'added-latency' ? ' (latency without the slowest vendor)' : ''}`);
  say(row('', ['requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'CPU ms/request']));
  say(row('service', cells(service)));
  say(row('yardstick', cells(yardstick)));
  say(row('ratio', [`${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)} over the rounds, ${kind === 'throughput' ? 'requests/s' : 'added p50'})`]));
  printVerdicts(result.verdicts);
  for (const [name, { failures }] of Object.entries({ service, yardstick })) {
    if (Object.keys(failures).length > 0) say(`  NOT A MEASUREMENT: the ${name} answered ${JSON.stringify(failures)}`);
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

function cells({ perSecond, latency, cpuMs }: Figures): string[] {
  return [perSecond.toFixed(perSecond < 100 ? 1 : 0), latency.p50.toFixed(2), latency.p95.toFixed(2), latency.p99.toFixed(2), latency.max.toFixed(2), cpuMs?.toFixed(3) ?? '–'];
}

function row(name: string, values: readonly string[]): string {
  return `  ${name.padEnd(10)}${values.map((value, index) => value.padStart(COLUMNS[index] ?? 12)).join('')}`;
}

function timed(time: Share | undefined): string {
  return time === undefined ? '' : `${(time.share * 100).toFixed(1).padStart(5)} %  ${time.name.slice(0, 62)}`;
}
