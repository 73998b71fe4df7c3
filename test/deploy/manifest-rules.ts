import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '../../src/platform/observability/metrics';
import { FILE_SETTINGS } from '../../src/platform/config/setting-files';
import type { Json } from '../support/api';
import { read } from '../conventions/docs.markdown';
import { find, selects, templatesIn, type Container, type Manifests } from './manifests';
import { isPinned, problemsOf, secondsToStop, withSecrets } from './settings';

/** Rules for manifests; each rule names its violations. */
type Rule = (manifests: Manifests) => string[];

/** Of Postgres, Valkey, and OTLP by gRPC and HTTP. */
const DEFAULT_PORTS = [5432, 6379, 4317, 4318];
/** Connections that Postgres allows by default, less those it keeps for its superuser. */
const MAX_CONNECTIONS = 97;

const everyContainer =
  (rule: (container: Container) => string[]): Rule =>
  ({ containers }) =>
    containers.flatMap((one) => rule(one).map((problem) => `${one.owner}: ${problem}`));

/** True if it runs this service or one of its commands, and not a foreign program. */
const isOurs = ({ container: { image = '' } }: Container): boolean => /\/model-comparison-service(:|$)/.test(image);

const kustomizationIsComplete: Rule = ({ files, kustomization }) => {
  const listed = [
    ...(kustomization.resources as string[]),
    ...(kustomization.configMapGenerator as Json[]).flatMap(({ envs }) => envs as string[]),
  ];
  const present = Object.keys(files).filter((name) => name !== 'kustomization.yaml' && name !== 'service-monitor.yaml');
  return [
    ...present.filter((name) => !listed.includes(name)).map((name) => `${name} is not in kustomization.yaml`),
    ...listed.filter((name) => !present.includes(name)).map((name) => `${name} does not exist`),
  ];
};

const imagesArePinned = (version: string): Rule =>
  everyContainer((one) =>
    [one.container].flatMap(({ image }) => [
      ...(isPinned(image) ? [] : [`the image ${image} is not pinned`]),
      ...(isPinned(image) && isOurs(one) && !image.endsWith(`:${version}`)
        ? [`the image ${image} is not that of this version, ${version}`]
        : []),
    ]),
  );

const jobIsNewForEachVersion =
  (version: string): Rule =>
  (manifests) => {
    const { name } = find(manifests, 'Job').metadata;
    return name.endsWith(`-${version.replaceAll('.', '-')}`)
      ? []
      : [`the Job ${name} does not carry the version ${version}, and a Job cannot be changed`];
  };

const commandsExist: Rule = everyContainer((one) => {
  const { command = [] } = isOurs(one) ? one.container : {};
  const sources = new Set(
    readdirSync(join(__dirname, '../../src/commands')).map(
      (file) => `dist/src/commands/${file.replace(/\.ts$/, '.js')}`,
    ),
  );
  return (command as string[])
    .slice(1)
    .filter((file) => !sources.has(file))
    .map((file) => `there is no ${file}`);
});

const settingsExist: Rule = everyContainer((one) => (isOurs(one) ? problemsOf(one.variables) : []));

/** Only the owner of the tables may change them, and no timeout of the service cuts it off. */
const jobsAreTheOwner: Rule = everyContainer(({ owner, pod }) => {
  const keys = (pod.volumes as Json[])
    .flatMap(({ secret }) => (secret?.items ?? []) as Json[])
    .map(({ key }) => key as string);
  const [needed, other] = owner.startsWith('Deployment ')
    ? ['database-url', 'owner-url']
    : ['owner-url', 'database-url'];
  return keys.includes(needed) && !keys.includes(other) ? [] : [`connects by another secret than ${needed}`];
});

const secretsAreFiles: Rule = everyContainer(({ container, pod, variables }) => {
  const mounts = (container.volumeMounts as Json[]).flatMap(({ name, mountPath }) => {
    const items = (pod.volumes as Json[]).find((volume) => volume.name === name)?.secret?.items ?? [];
    return (items as Json[]).map(({ path }) => `${mountPath}/${path}`);
  });
  const isFile = (name: string) => name.endsWith('_FILE') && FILE_SETTINGS.includes(name.slice(0, -5));
  const missing = Object.entries(variables).filter(([name, file]) => isFile(name) && !mounts.includes(file));
  return [
    ...missing.map(([name, file]) => `${name} names ${file}, which is not mounted`),
    ...Object.keys(variables)
      .filter((name) => FILE_SETTINGS.includes(name))
      .map((name) => `${name} is no file`),
  ];
});

const podsHaveNoPrivileges: Rule = everyContainer(({ container, pod }) =>
  Object.entries({
    'may be root': pod.securityContext?.runAsNonRoot !== true || !(pod.securityContext.runAsUser > 0),
    'has a service account token': pod.automountServiceAccountToken !== false,
    'gets variables from Services': pod.enableServiceLinks !== false,
    'may gain privileges': container.securityContext?.allowPrivilegeEscalation !== false,
    'may write its root file system': container.securityContext?.readOnlyRootFilesystem !== true,
    'keeps capabilities': container.securityContext?.capabilities?.drop?.[0] !== 'ALL',
    'has no seccomp profile': pod.securityContext?.seccompProfile?.type !== 'RuntimeDefault',
    'lacks a request or limit': ['requests', 'limits'].some((kind) =>
      ['cpu', 'memory'].some((what) => container.resources?.[kind]?.[what] === undefined),
    ),
    'shows its secrets to everybody': (pod.volumes as Json[]).some(
      ({ secret }) => secret !== undefined && (secret.defaultMode & 0o7) !== 0,
    ),
  }).flatMap(([problem, isSo]) => (isSo ? [problem] : [])),
);

const shutdownHasTime: Rule = (manifests) => {
  const owner = find(manifests, 'Deployment').spec.template.spec;
  const { container, variables } = manifests.containers.find(({ pod }) => pod === owner) as Container;
  const pause = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
  const needed = secondsToStop(variables) + pause;
  return [
    ...(owner.terminationGracePeriodSeconds >= needed
      ? []
      : [
          `a grace of ${owner.terminationGracePeriodSeconds} s is shorter than the ${needed} s that a shutdown can take`,
        ]),
    ...(pause >= 5 ? [] : ['there is no pause before SIGTERM, so requests still come']),
  ];
};

const rolloutLosesNothing: Rule = (manifests) => {
  const {
    replicas,
    strategy: {
      rollingUpdate: { maxUnavailable, maxSurge },
    },
  } = find(manifests, 'Deployment').spec;
  const { minReplicas, maxReplicas } = find(manifests, 'HorizontalPodAutoscaler').spec;
  const { DATABASE_POOL_MAX } = withSecrets(manifests.containers[0]?.variables ?? {});
  const connections = (maxReplicas + maxSurge) * Number(DATABASE_POOL_MAX);
  return [
    ...(minReplicas >= 2 && maxUnavailable === 0 ? [] : ['fewer than two pods may serve']),
    ...(replicas === undefined ? [] : ['replicas beside a HorizontalPodAutoscaler, which every apply sets back']),
    ...(connections <= MAX_CONNECTIONS
      ? []
      : [`${connections} connections to the database are more than the ${MAX_CONNECTIONS} that it allows`]),
  ];
};

const portsMeet: Rule = (manifests) => {
  const {
    metadata: { labels },
    spec: {
      containers: [container],
    },
  } = find(manifests, 'Deployment').spec.template;
  const ports = new Map((container.ports as Json[]).map(({ name, containerPort }) => [name, containerPort]));
  const { variables } = manifests.containers.find((one) => one.container === container) as Container;
  const service = find(manifests, 'Service');
  const monitored = (find(manifests, 'ServiceMonitor').spec.endpoints as Json[]).map(({ port }) => port);
  const targets = [
    ...(service.spec.ports as Json[]).map(({ targetPort }) => targetPort),
    ...probes(container).map(([, { httpGet }]) => httpGet.port),
    ...ingressPorts(manifests),
  ];
  const served = [Number(variables['PORT'])];
  return [
    ...(selects(service.spec.selector, labels) ? [] : ['the Service finds no pod']),
    ...targets.filter((port) => !ports.has(port)).map((port) => `no container has a port ${port}`),
    ...monitored
      .filter((port) => !(service.spec.ports as Json[]).some(({ name }) => name === port))
      .map((port) => `the Service has no port ${port}`),
    ...[...ports]
      .filter(([, port]) => !served.includes(port))
      .map(([name, port]) => `nothing listens on port ${name}, ${port}`),
    ...served
      .filter((port) => ![...ports.values()].includes(port))
      .map((port) => `the container hides the port ${port}`),
  ];
};

/** Ports of what the shipped files put before the database, and of what an address in the settings may name. */
const egressReachesWhatIsShipped: Rule = (manifests) => {
  const listening = [
    /^ *bind :(\d+)$/m.exec(read('deploy/haproxy-postgres.cfg'))?.[1],
    /^listen_port *= *(\d+)$/m.exec(read('deploy/pgbouncer.ini'))?.[1],
  ].map(Number);
  const inSettings = manifests.containers
    .flatMap(({ variables }) => Object.values(variables))
    .flatMap((value) => /^[a-z]+:\/\/[^/]*:(\d+)(?:\/|$)/.exec(value)?.[1] ?? [])
    .map(Number);
  const open = (find(manifests, 'NetworkPolicy').spec.egress as Json[])
    .filter(({ to }) => (to as Json[]).some(({ namespaceSelector }) => namespaceSelector !== undefined))
    .flatMap(({ ports }) => (ports as Json[]).map(({ port }) => port as number));
  return [...new Set([...listening, ...DEFAULT_PORTS, ...inSettings])]
    .filter((port) => !open.includes(port))
    .map((port) => `the NetworkPolicy does not let out port ${port}`);
};

const namesMeet: Rule = (manifests) => {
  const { metadata, spec } = find(manifests, 'Deployment');
  const { labels } = spec.template.metadata;
  const monitor = find(manifests, 'ServiceMonitor').spec;
  const { scaleTargetRef, metrics } = find(manifests, 'HorizontalPodAutoscaler').spec;
  const secret = (spec.template.spec.volumes as Json[]).find((volume) => volume.secret !== undefined)?.secret;
  const credentials = (monitor.endpoints as Json[])
    .map((endpoint) => endpoint.authorization?.credentials)
    .filter((one) => one !== undefined);
  const registry = new Metrics().registry;
  const selectors = [
    spec.selector,
    find(manifests, 'PodDisruptionBudget').spec.selector,
    ...(spec.template.spec.topologySpreadConstraints as Json[]).map(({ labelSelector }) => labelSelector),
  ];
  const policy = find(manifests, 'NetworkPolicy').spec.podSelector.matchExpressions[0];
  const pods = templatesIn(manifests.documents).map(
    ({ template }) => template.metadata.labels as Record<string, string>,
  );
  return [
    ...selectors
      .filter(({ matchLabels }) => !selects(matchLabels, labels))
      .map(({ matchLabels }) => `${JSON.stringify(matchLabels)} finds no pod`),
    ...pods
      .filter((one) => !(policy.values as string[]).includes(one[policy.key as string] ?? ''))
      .map((one) => `the NetworkPolicy leaves out ${JSON.stringify(one)}`),
    ...(selects(monitor.selector.matchLabels, find(manifests, 'Service').metadata.labels)
      ? []
      : ['the ServiceMonitor finds no Service']),
    ...(scaleTargetRef.kind === 'Deployment' && scaleTargetRef.name === metadata.name
      ? []
      : ['the HorizontalPodAutoscaler finds no Deployment']),
    ...(metrics as Json[])
      .map(({ pods: of }) => of?.metric.name)
      .filter((name) => name !== undefined && registry.getSingleMetric(name) === undefined)
      .map((name) => `there is no metric ${name}`),
    ...credentials
      .filter(
        ({ name, key }) => name !== secret.secretName || !(secret.items as Json[]).some((item) => item.key === key),
      )
      .map(({ key }) => `there is no secret ${key}`),
  ];
};

const livenessAsksNoDatabase: Rule = everyContainer(({ container }) =>
  probes(container)
    .filter(([name, { httpGet }]) => (name === 'readinessProbe') !== (httpGet.path === '/health/ready'))
    .map(([name]) => (name === 'readinessProbe' ? 'readiness does not ask the database' : `${name} asks the database`)),
);

const probesExist: Rule = (manifests) =>
  ['startupProbe', 'readinessProbe', 'livenessProbe']
    .filter((name) => find(manifests, 'Deployment').spec.template.spec.containers[0][name] === undefined)
    .map((name) => `there is no ${name}`);

/** All rules that need nothing but the manifests and the version of the service. */
export const rulesFor = (version: string): Rule[] => [
  kustomizationIsComplete,
  imagesArePinned(version),
  jobIsNewForEachVersion(version),
  commandsExist,
  settingsExist,
  jobsAreTheOwner,
  secretsAreFiles,
  podsHaveNoPrivileges,
  shutdownHasTime,
  rolloutLosesNothing,
  egressReachesWhatIsShipped,
  portsMeet,
  namesMeet,
  livenessAsksNoDatabase,
  probesExist,
];

/** The paths that probes and Prometheus ask. */
export function askedPaths(manifests: Manifests): string[] {
  const scraped = (find(manifests, 'ServiceMonitor').spec.endpoints as Json[]).map(({ path }) => path as string);
  return [
    ...new Set([
      ...manifests.containers.flatMap(({ container }) =>
        probes(container).map(([, { httpGet }]) => httpGet.path as string),
      ),
      ...scraped,
    ]),
  ];
}

function probes(container: Json): [string, Json][] {
  return Object.entries(container as Record<string, Json>).filter(([name]) => name.endsWith('Probe'));
}

function ingressPorts(manifests: Manifests): unknown[] {
  return (find(manifests, 'NetworkPolicy').spec.ingress as Json[]).flatMap(({ ports }) =>
    (ports as Json[]).map(({ port }) => port),
  );
}
