import type { Profiler } from 'node:inspector';
import { cpus } from 'node:os';
import { cores } from './cores';
import type { Databases } from './databases';
import { duel } from './duel';
import { prepare, type Ground } from './ground';
import { Meter } from './measure';
import { memory, soak } from './memory';
import type { Bench, PartResult } from './part';
import { past } from './past';
import { ProcessFamily } from './process-family';
import { Load, machine, startProbedService, startService, startYardstick } from './processes';
import { busiest } from './profile';
import { printPart, printProfile, printSummary, writeResult } from './report';
import { RESERVING_USERS, reservations } from './reservations';
import { runOn } from './run';
import { SCENARIOS } from './scenarios';
import { isWanted, say, SETTINGS } from './settings';
import { traces } from './traces';
import { median } from './statistics';
import { STREAM_SCENARIOS, streams } from './streams';

const START_FACTOR = 2;
const START_EXTRA_MS = 1500;

/** From start to ready on an existing database. */
async function starts({ ground }: Bench): Promise<PartResult> {
  const times = { service: [] as number[], yardstick: [] as number[] };
  for (let round = 0; round < SETTINGS.rounds; round += 1) {
    const service = await startService(ground.serviceUrl, ground.vendorUrl);
    await service.stop();
    const yardstick = await startYardstick(ground.yardstickUrl, ground.vendorUrl);
    await yardstick.stop();
    times.service.push(service.startMs);
    times.yardstick.push(yardstick.startMs);
  }
  const [serviceMs, yardstickMs] = [median(times.service), median(times.yardstick)];
  const most = START_FACTOR * yardstickMs + START_EXTRA_MS;
  return {
    name: 'start to ready',
    values: { serviceMs, yardstickMs },
    verdicts: [{ what: 'start to ready', value: `${serviceMs.toFixed(0)} ms`, target: `≤ ${START_FACTOR} × yardstick + ${START_EXTRA_MS / 1000} s = ${most.toFixed(0)} ms`, isMet: serviceMs <= most }],
  };
}

/** All that was asked for, one after the other. */
async function* parts(bench: Bench): AsyncGenerator<PartResult> {
  if (isWanted('start')) yield starts(bench);
  for (const scenario of SCENARIOS) yield duel(scenario, bench);
  if (isWanted('reservations')) for (const users of RESERVING_USERS) yield reservations(users, bench);
  if (isWanted('past')) yield* await past(bench);
  yield* wantedOf({ cores, traces }, bench);
  if (isWanted('streams')) yield* await streams(bench);
  if (isWanted('memory')) yield memory(bench);
  if (SETTINGS.soak) yield soak(bench);
}

/** Those of these parts that were asked for. */
async function* wantedOf(named: Record<string, (bench: Bench) => Promise<PartResult>>, bench: Bench): AsyncGenerator<PartResult> {
  for (const [name, part] of Object.entries(named)) if (isWanted(name)) yield part(bench);
}

/** Where the service's time goes, instead of how much it takes: the profiler slows what it looks at. */
async function profiles(ground: Ground, load: Load): Promise<void> {
  const service = await startProbedService(ground.serviceUrl, ground.vendorUrl);
  for (const scenario of [...SCENARIOS, ...STREAM_SCENARIOS]) {
    const job = { ...scenario.load(ground.service), port: service.port };
    await load.run({ ...job, seconds: SETTINGS.warmUpSeconds });
    await service.ask('profile-start');
    await load.run({ ...job, seconds: SETTINGS.seconds });
    const { profile } = await service.ask<{ profile: Profiler.Profile }>('profile-stop');
    printProfile(scenario.name, busiest(profile));
    writeResult(`${scenario.name.replaceAll(/[^a-z0-9]+/gi, '-')}.cpuprofile`, profile);
  }
  await service.stop();
}

async function main(databases: Databases): Promise<void> {
  say(`Service against yardstick: ${SETTINGS.rounds} rounds of ${SETTINGS.seconds} s each, ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`);
  const ground = await prepare(databases);
  const load = new Load();
  if (SETTINGS.profile) return profiles(ground, load);
  const meter = new Meter(load, await ProcessFamily.ofPostgres(ground.serviceUrl));
  const service = { server: await startService(ground.serviceUrl, ground.vendorUrl), past: ground.service };
  const yardstick = { server: await startYardstick(ground.yardstickUrl, ground.vendorUrl), past: ground.yardstick };
  const results: PartResult[] = [];
  for await (const result of parts({ ground, load, meter, service, yardstick })) {
    results.push(result);
    printPart(result);
  }
  printSummary(results.flatMap(({ verdicts }) => verdicts));
  writeResult('result.json', { at: new Date().toISOString(), machine: machine(), results });
}

runOn(main);
