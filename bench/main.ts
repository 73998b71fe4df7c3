import type { Profiler } from 'node:inspector';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '../test/support/database';
import { makeCallers } from './callers';
import { seededId, seedEvals, seedYardstick, settle, type Databases } from './databases';
import { duel, type Contender, type DuelResult } from './duel';
import { Meter } from './measure';
import { ProcessFamily } from './process-family';
import { Load, machine, startProbedService, startService, startVendor, startYardstick } from './processes';
import { busiest } from './profile';
import { printDuel, printProfile, printVerdicts, writeResult } from './report';
import { isReservationBenchWanted, reservationBench } from './reservations';
import { runOn } from './run';
import { SCENARIOS, type Past } from './scenarios';
import { MODELS, say, SETTINGS } from './settings';
import { idleVerdict, manyRequests, soak } from './soak';
import { median } from './statistics';
import type { Verdict } from './verdict';

const SEEDED = 1000;
const IDLE_SECONDS = 5;
const START_FACTOR = 2;
const START_EXTRA_MS = 1500;

/** Where the two servers live. */
interface Ground {
  serviceUrl: string;
  yardstickUrl: string;
  vendorUrl: string;
  service: Past;
  yardstick: Past;
}

/** Both databases with users, keys and a past, and a vendor server. */
async function prepare(databases: Databases): Promise<Ground> {
  const [serviceUrl, yardstickUrl] = [await databases.fresh('mcs_bench_service'), await databases.fresh('mcs_bench_yardstick')];
  const { url: vendorUrl } = await startVendor();
  const first = await startService(serviceUrl, vendorUrl, { migrate: true });
  const callers = await makeCallers(first.port, SETTINGS.users);
  await first.stop();
  const [reader] = callers;
  if (reader === undefined) throw new Error('BENCH_USERS must be 1 or more.');
  const user = { ...reader, month: new Date().toISOString().slice(0, 7), models: MODELS };
  await onDatabase(serviceUrl, async (client) => {
    await seedEvals(client, user, 1, SEEDED);
    await settle(client);
  });
  const keys = callers.map(({ key }) => key);
  await seedYardstick(yardstickUrl, keys, SEEDED, MODELS);
  const numbers = Array.from({ length: 200 }, (_, index) => 1 + index * 5);
  return {
    serviceUrl, yardstickUrl, vendorUrl,
    service: { keys, evalIds: numbers.map((n) => seededId(user, n)) },
    yardstick: { keys, evalIds: numbers.map((n) => `eval_${String(n).padStart(26, '0')}`) },
  };
}

/** From start to ready on a database that stands already. */
async function starts(ground: Ground): Promise<Verdict> {
  const times = { service: [] as number[], yardstick: [] as number[] };
  for (let round = 0; round < SETTINGS.rounds; round += 1) {
    const service = await startService(ground.serviceUrl, ground.vendorUrl);
    await service.stop();
    const yardstick = await startYardstick(ground.yardstickUrl, ground.vendorUrl);
    await yardstick.stop();
    times.service.push(service.startMs);
    times.yardstick.push(yardstick.startMs);
  }
  const [service, yardstick] = [median(times.service), median(times.yardstick)];
  const most = START_FACTOR * yardstick + START_EXTRA_MS;
  return {
    what: 'start to ready', value: `${service.toFixed(0)} ms (yardstick ${yardstick.toFixed(0)} ms)`,
    target: `≤ ${START_FACTOR} × yardstick + ${START_EXTRA_MS / 1000} s = ${most.toFixed(0)} ms`, isMet: service <= most,
  };
}

/** Where the service's time goes, instead of how much it takes: the profiler slows what it looks at. */
async function profiles(ground: Ground, load: Load): Promise<void> {
  const service = await startProbedService(ground.serviceUrl, ground.vendorUrl);
  for (const scenario of SCENARIOS) {
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

/** A service that has done nothing else yet, after a great many requests and then over minutes. */
async function soaked(ground: Ground, load: Load): Promise<{ verdicts: Verdict[]; heapsMib: number[] }> {
  say();
  say(`Soak, ${SETTINGS.soakRequests} requests and ${SETTINGS.soakSeconds} s`);
  const service = await startProbedService(ground.serviceUrl, ground.vendorUrl);
  const many = await manyRequests(load, service, ground.service);
  const { verdict, heapsMib } = await soak(load, service, ground.service);
  const verdicts = [many, verdict];
  printVerdicts(verdicts);
  await service.stop();
  return { verdicts, heapsMib };
}

async function bench(databases: Databases): Promise<void> {
  say(`Service against yardstick: ${SETTINGS.rounds} rounds of ${SETTINGS.seconds} s each, ${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`);
  const ground = await prepare(databases);
  const load = new Load();
  const meter = new Meter(load, await ProcessFamily.ofPostgres(ground.serviceUrl));
  if (SETTINGS.profile) return profiles(ground, load);
  const verdicts = [await starts(ground)];
  const service: Contender = { server: await startService(ground.serviceUrl, ground.vendorUrl), past: ground.service };
  const yardstick: Contender = { server: await startYardstick(ground.yardstickUrl, ground.vendorUrl), past: ground.yardstick };
  await sleep(IDLE_SECONDS * 1000);
  const idleMib = { service: service.server.rssMib(), yardstick: yardstick.server.rssMib() };
  verdicts.push(idleVerdict(idleMib.service));
  printVerdicts(verdicts);
  const duels: DuelResult[] = [];
  for (const scenario of SCENARIOS) {
    const result = await duel(scenario, meter, service, yardstick);
    duels.push(result);
    printDuel(result);
  }
  const reservations = isReservationBenchWanted() ? await reservationBench(meter, service, yardstick) : [];
  say();
  const afterMib = { service: service.server.rssMib(), yardstick: yardstick.server.rssMib() };
  say(`Memory (RSS): service ${idleMib.service.toFixed(0)} MiB idle, ${afterMib.service.toFixed(0)} after; yardstick ${idleMib.yardstick.toFixed(0)} idle, ${afterMib.yardstick.toFixed(0)} after`);
  await service.server.stop();
  await yardstick.server.stop();
  const soakResult = SETTINGS.soak ? await soaked(ground, load) : undefined;
  writeResult('result.json', { at: new Date().toISOString(), machine: machine(), verdicts, idleMib, afterMib, duels, reservations, soak: soakResult });
}

runOn(bench);
