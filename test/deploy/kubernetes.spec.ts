import type { Json } from '../support/api';
import { worker } from '../support/worker';
import { read } from '../conventions/docs.markdown';
import { askedPaths, rulesFor } from './manifest-rules';
import { typeErrors } from './manifest-types';
import { parse, readFiles, type Files } from './manifests';

const { version } = JSON.parse(read('package.json')) as { version: string };
const files = readFiles();

/** The violations of the JSON schemas of Kubernetes by a document. */
async function schemaErrors(document: Json): Promise<string[]> {
  const { apiVersion, kind } = document as { apiVersion: string; kind: string };
  if (['Kustomization', 'ServiceMonitor'].includes(kind)) return [];
  const models = (await import(`kubernetes-models/${apiVersion}`)) as Record<
    string,
    new (data: unknown) => { validate(): void }
  >;
  try {
    const Model = models[kind];
    if (Model === undefined) throw new Error(`There is no kind ${kind} in ${apiVersion}.`);
    new Model(document).validate();
    return [];
  } catch (error) {
    return [`${kind}: ${String(error)}`];
  }
}

/** Paths that the service does not have. */
async function pathErrors(paths: readonly string[]): Promise<string[]> {
  const statuses = await Promise.all(
    paths.map(async (path) => [path, (await fetch(worker().serviceUrl + path)).status] as const),
  );
  return statuses.filter(([, status]) => status === 404).map(([path]) => `${path} is no route`);
}

async function complaintsAbout(given: Files): Promise<string[]> {
  const manifests = parse(given);
  const shape = [
    ...(await Promise.all(manifests.documents.map(schemaErrors))).flat(),
    ...typeErrors(manifests.documents),
  ];
  // The rules read what the schemas require.
  if (shape.length > 0) return shape;
  return [...rulesFor(version).flatMap((rule) => rule(manifests)), ...(await pathErrors(askedPaths(manifests)))];
}

/** A mistake: in which file, what is replaced by what, and what must be said of it. */
const MISTAKES: [mistake: string, file: string, from: string | RegExp, to: string, complaint: RegExp][] = [
  [
    'a member that no kind has',
    'deployment.yaml',
    'image: registry',
    'imagee: x\n          image: registry',
    /'"imagee"' does not exist in type 'IContainer'/,
  ],
  [
    'an unknown member deep inside',
    'deployment.yaml',
    'failureThreshold: 30',
    'failureTreshold: 30',
    /'"failureTreshold"' does not exist in type 'IProbe'/,
  ],
  ['an unknown member of a Service', 'service.yaml', 'targetPort: http', 'targetport: http', /targetport/],
  ['an unknown member of a ServiceMonitor', 'service-monitor.yaml', 'interval: 15s', 'intervall: 15s', /intervall/],
  ['a word for a number', 'autoscaler.yaml', 'minReplicas: 2', 'minReplicas: two', /minReplicas/],
  [
    'replicas that the autoscaler would not keep',
    'deployment.yaml',
    /^spec:\n/m,
    'spec:\n  replicas: 2\n',
    /replicas beside a HorizontalPodAutoscaler/,
  ],
  [
    'migrations as the service',
    'migrate.yaml',
    'key: owner-url',
    'key: database-url',
    /Job mcs-migrate-\S+: connects by another secret than owner-url/,
  ],
  [
    'a service that owns its tables',
    'deployment.yaml',
    'key: database-url',
    'key: owner-url',
    /Deployment mcs: connects by another secret than database-url/,
  ],
  [
    'a ledger that is verified as the service',
    'daily.yaml',
    'key: owner-url',
    'key: database-url',
    /CronJob mcs-ledger-verify: connects by another secret/,
  ],
  [
    'a closed port of the shipped HAProxy',
    'network-policy.yaml',
    'port: 5000',
    'port: 5001',
    /does not let out port 5000/,
  ],
  ['a closed port of traces', 'network-policy.yaml', 'port: 4318', 'port: 4319', /does not let out port 4318/],
  [
    'a closed port of an address in the settings',
    'settings.env',
    /^PORT=3000/m,
    'PORT=3000\nOTEL_EXPORTER_OTLP_ENDPOINT=http://collector:14318',
    /does not let out port 14318/,
  ],
  [
    'a policy that leaves a CronJob out',
    'network-policy.yaml',
    ', mcs-backup',
    '',
    /the NetworkPolicy leaves out .*mcs-backup/,
  ],
  [
    'a command of a CronJob that does not exist',
    'daily.yaml',
    'ledger-verify.js',
    'verify.js',
    /there is no dist\/src\/commands\/verify\.js/,
  ],
  [
    'an unpinned image of others',
    'daily.yaml',
    'postgres:18.4-bookworm',
    'postgres',
    /CronJob mcs-backup: the image postgres is not pinned/,
  ],
  ['half a pod', 'autoscaler.yaml', 'maxReplicas: 10', 'maxReplicas: 1.5', /maxReplicas/],
  [
    'no selector',
    'deployment.yaml',
    /^ {2}selector:\n {4}matchLabels:\n.*\n/m,
    '',
    /Deployment: Error: data\/spec must have required property selector/,
  ],
  ['an unpinned image', 'deployment.yaml', `service:${version}`, 'service:latest', /latest is not pinned/],
  ['an image without a tag', 'migrate.yaml', `service:${version}`, 'service', /Job mcs-migrate-\S+: .*is not pinned/],
  [
    'an image of another version',
    'deployment.yaml',
    `service:${version}`,
    'service:0.1.9',
    /is not that of this version/,
  ],
  [
    'a Job of another version',
    'migrate.yaml',
    /mcs-migrate-\d+-\d+-\d+/,
    'mcs-migrate-0-1-9',
    /does not carry the version/,
  ],
  [
    'a command that does not exist',
    'migrate.yaml',
    'migrate.js',
    'migration.js',
    /there is no dist\/src\/commands\/migration\.js/,
  ],
  ['an unknown setting', 'settings.env', 'DATABASE_POOL_MAX', 'DATABASE_POOL', /DATABASE_POOL is no setting/],
  ['an unknown setting of a container', 'deployment.yaml', 'REDIS_URL_FILE', 'REDIS_FILE', /REDIS_FILE is no setting/],
  [
    'a setting with a wrong value',
    'settings.env',
    'TRUST_PROXY=1',
    'TRUST_PROXY=true',
    /TRUST_PROXY: must not be true/,
  ],
  [
    'a secret that is missing',
    'deployment.yaml',
    / +- name: API_KEY_PEPPER_FILE\n.*\n/,
    '',
    /API_KEY_PEPPER: is missing/,
  ],
  [
    'a secret in the open',
    'settings.env',
    /^PORT=3000/m,
    'PORT=3000\nOPENAI_BASE_URL=https://api.openai.com/v1\nXAI_API_KEY=sk-1',
    /XAI_API_KEY is no file/,
  ],
  [
    'a secret that is not mounted',
    'deployment.yaml',
    'path: database-url',
    'path: database',
    /DATABASE_URL_FILE names .* not mounted/,
  ],
  ['a probe path that is no route', 'deployment.yaml', '/health/live', '/healthz', /\/healthz is no route/],
  [
    'a scraped path that is no route',
    'service-monitor.yaml',
    'path: /metrics',
    'path: /prometheus',
    /\/prometheus is no route/,
  ],
  [
    'a liveness probe that asks the database',
    'deployment.yaml',
    /(livenessProbe:\n.*\n.*path: \/health\/)live/,
    '$1ready',
    /livenessProbe asks the database/,
  ],
  [
    'a readiness probe that does not',
    'deployment.yaml',
    '/health/ready',
    '/health/live',
    /readiness does not ask the database/,
  ],
  [
    'no startup probe',
    'deployment.yaml',
    /startupProbe:\n(?: {12}.*\n)+/,
    'stdin: false\n',
    /there is no startupProbe/,
  ],
  [
    'a port that nothing listens on',
    'deployment.yaml',
    'containerPort: 3000',
    'containerPort: 3001',
    /nothing listens on port http, 3001/,
  ],
  ['a listener without a port', 'settings.env', /^PORT=3000/m, 'PORT=8080', /the container hides the port 8080/],
  ['a Service to no port', 'service.yaml', 'targetPort: http', 'targetPort: web', /no container has a port web/],
  ['a probe of no port', 'deployment.yaml', 'port: http', 'port: web', /no container has a port web/],
  ['a policy for no port', 'network-policy.yaml', 'port: http', 'port: web', /no container has a port web/],
  ['a ServiceMonitor of no port', 'service-monitor.yaml', 'port: http', 'port: web', /the Service has no port web/],
  ['a Service without pods', 'service.yaml', /(selector:\n.*name: )mcs/, '$1msc', /the Service finds no pod/],
  ['a budget without pods', 'disruption-budget.yaml', /(matchLabels:\n.*name: )mcs/, '$1msc', /finds no pod/],
  ['a policy that leaves the Job out', 'network-policy.yaml', ', mcs-migrate', '', /the NetworkPolicy leaves out/],
  [
    'a ServiceMonitor without a Service',
    'service-monitor.yaml',
    /(matchLabels:\n.*name: )mcs/,
    '$1msc',
    /the ServiceMonitor finds no Service/,
  ],
  [
    'an autoscaler without a Deployment',
    'autoscaler.yaml',
    /(kind: Deployment\n.*name: )mcs/,
    '$1msc',
    /finds no Deployment/,
  ],
  [
    'an autoscaler by no metric',
    'autoscaler.yaml',
    'name: mcs_compares_running',
    'name: compares_in_flight',
    /there is no metric compares_in_flight/,
  ],
  ['a token that is no secret', 'service-monitor.yaml', 'key: metrics-token', 'key: token', /there is no secret token/],
  [
    'a grace shorter than the arithmetic',
    'deployment.yaml',
    'terminationGracePeriodSeconds: 120',
    'terminationGracePeriodSeconds: 109',
    /a grace of 109 s is shorter than the 110 s/,
  ],
  [
    'a deadline too long for the grace',
    'settings.env',
    'EVAL_TIMEOUT_MS=90000',
    'EVAL_TIMEOUT_MS=120000',
    /shorter than the 140 s/,
  ],
  ['draining too long for the grace', 'settings.env', 'DRAIN_SECONDS=5', 'DRAIN_SECONDS=30', /shorter than the 135 s/],
  ['no pause before SIGTERM', 'deployment.yaml', 'seconds: 5', 'seconds: 0', /no pause before SIGTERM/],
  ['a pod that may be missing', 'deployment.yaml', 'maxUnavailable: 0', 'maxUnavailable: 1', /fewer than two pods/],
  [
    'more connections than Postgres allows',
    'autoscaler.yaml',
    'maxReplicas: 10',
    'maxReplicas: 12',
    /104 connections to the database/,
  ],
  ['root', 'deployment.yaml', 'runAsUser: 1000', 'runAsUser: 0', /may be root/],
  [
    'a token of the cluster',
    'migrate.yaml',
    'automountServiceAccountToken: false',
    'automountServiceAccountToken: true',
    /has a service account token/,
  ],
  [
    'variables from Services',
    'deployment.yaml',
    'enableServiceLinks: false',
    'enableServiceLinks: true',
    /gets variables from Services/,
  ],
  [
    'privileges to gain',
    'deployment.yaml',
    'allowPrivilegeEscalation: false',
    'allowPrivilegeEscalation: true',
    /may gain privileges/,
  ],
  [
    'a root file system to write',
    'deployment.yaml',
    'readOnlyRootFilesystem: true',
    'readOnlyRootFilesystem: false',
    /may write its root file system/,
  ],
  ['capabilities', 'deployment.yaml', 'drop: [ALL]', 'drop: [NET_RAW]', /keeps capabilities/],
  [
    'system calls without a filter',
    'deployment.yaml',
    'type: RuntimeDefault',
    'type: Unconfined',
    /has no seccomp profile/,
  ],
  ['no limit of memory', 'deployment.yaml', 'memory: 1536Mi', 'ephemeral-storage: 1Gi', /lacks a request or limit/],
  [
    'secrets for everybody',
    'deployment.yaml',
    'defaultMode: 288',
    'defaultMode: 292',
    /shows its secrets to everybody/,
  ],
  [
    'a file that is not applied',
    'kustomization.yaml',
    '  - service.yaml\n',
    '',
    /service\.yaml is not in kustomization\.yaml/,
  ],
];

describe('The manifests for Kubernetes', () => {
  it('fit the schemas of their kinds, the service, and each other', async () => {
    expect(await complaintsAbout(files)).toEqual([]);
  });

  it.each(MISTAKES)('are refused with %s', async (_mistake, file, from, to, complaint) => {
    const mistaken = { ...files, [file]: (files[file] ?? '').replace(from, to) };
    expect(mistaken[file]).not.toBe(files[file]);
    expect((await complaintsAbout(mistaken)).join('\n')).toMatch(complaint);
  });
});
