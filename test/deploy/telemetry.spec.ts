import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { Metrics } from '../../src/platform/observability/metrics';
import { runProgram } from '../cluster/support/program';
import { describeWith } from '../cluster/support/programs';
import { read, rowsOf, sectionOf } from '../conventions/docs.markdown';
import type { Json } from '../support/api';
import { ownDatabase } from '../support/database';
import { temporaryFolder } from '../support/temporary-folder';
import { worker } from '../support/worker';
import { parseCompose } from './compose';
import { allDashboards, DASHBOARDS, labelsInScrape, missingIn, panelsOf, parseQuery } from './promql';
import { scrapeOf, startMeasuredService, touchEverything } from './scenario';

const ROOT = join(__dirname, '../..');
/** Labels and series that Prometheus adds; metrics of Patroni, node_exporter, Kubernetes and the daily units. */
const GIVEN = ['job', 'instance'];
const OF_OTHERS = {
  up: [],
  patroni_sync_standby: ['scope'],
  patroni_xlog_location: ['scope'],
  patroni_xlog_replayed_location: ['scope'],
  node_filesystem_avail_bytes: ['fstype'],
  kubelet_volume_stats_available_bytes: [],
  mcs_ledger_verified_timestamp_seconds: [],
  mcs_backup_timestamp_seconds: [],
  kube_cronjob_status_last_successful_time: ['cronjob'],
};
/** Own metrics that no panel and no alert shows, with the reason. */
const LEFT_OUT: readonly string[] = [];

const dashboards = allDashboards();
const panels = dashboards.flatMap(({ file, dashboard }) => panelsOf(dashboard).map((panel) => ({ file, ...panel })));
const alerts = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Json[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const expressions = [
  ...panels.flatMap(({ title, queries }) => queries.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert as string, expr as string] as const),
];

describe('Dashboards and alerts', () => {
  let scrape: Map<string, Set<string>>;
  beforeAll(async () => {
    const { service, stop } = await startMeasuredService(await ownDatabase('telemetry'), worker().vendorUrl);
    await touchEverything(service);
    scrape = labelsInScrape(await scrapeOf(service));
    await stop();
    for (const [metric, labels] of Object.entries(OF_OTHERS)) scrape.set(metric, new Set(labels));
    for (const labels of scrape.values()) for (const label of GIVEN) labels.add(label);
  });

  it.each(expressions)('%s parses and asks for what is there: %s', (_title, expression) => {
    const query = parseQuery(expression);
    expect([...query.errors, ...missingIn(scrape, query)]).toEqual([]);
    expect(query.selected.length).toBeGreaterThan(0);
  });

  it.each([
    ['a bracket that is not closed', 'sum(rate(mcs_errors_total[5m])', ['sum(rate(mcs_errors_total[5m])⚠']],
    ['a metric of the past', 'rate(compares_total[5m])', ['there is no metric compares_total']],
    [
      'a label that a metric does not have',
      'rate(mcs_errors_total{reason="x"}[5m])',
      ['mcs_errors_total has no label reason'],
    ],
    [
      'a group by no label',
      'sum by (vendor) (rate(mcs_vendor_attempts_total[5m]))',
      ['vendor is no label of mcs_vendor_attempts_total'],
    ],
  ])('would be refused with %s', (_mistake, expression, complaints) => {
    const query = parseQuery(expression);
    expect([...query.errors, ...missingIn(scrape, query)]).toEqual(complaints);
  });

  it('show every metric of ours, or it is listed as left out', () => {
    const shown = new Set(
      expressions.flatMap(([, expression]) =>
        parseQuery(expression).selected.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')),
      ),
    );
    const own = new Metrics().registry.getMetricsAsArray().map(({ name }) => name);
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((name) => !shown.has(name))).toEqual(LEFT_OUT);
  });

  it('ask for series of this service alone where others have metrics of the same name', () => {
    const isOwn = (metric: string): boolean => /^(mcs|patroni|kube|kubelet|node)_/.test(metric);
    const wrong = expressions.filter(
      ([, expression]) =>
        parseQuery(expression).selected.filter(({ metric }) => !isOwn(metric)).length !==
        expression.split('{job="mcs"').length - 1,
    );
    expect(wrong).toEqual([]);
  });

  it('name series by labels that they are grouped by', () => {
    const queries = panels.flatMap(({ title, queries: all }) => all.map((query) => ({ title, ...query })));
    const wrong = queries.filter(({ expr, legendFormat }) => {
      const { grouped, selected } = parseQuery(expr);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
      return (
        legendFormat === '' ||
        !named.every((label) =>
          expr.includes(' by (')
            ? grouped.includes(label)
            : selected.every(({ metric }) => scrape.get(metric)?.has(label)),
        )
      );
    });
    expect(wrong.map(({ title, legendFormat }) => `${title}: ${legendFormat}`)).toEqual([]);
  });
});

describe('The dashboards', () => {
  it('are three, one about money, one about speed and vendors, one about processes and the database', () => {
    expect(dashboards.map(({ dashboard }) => dashboard.uid).sort()).toEqual(['mcs-machine', 'mcs-money', 'mcs-speed']);
  });

  it('ask the data source that is provisioned, and give each panel a title and a unit', () => {
    const {
      datasources: [source],
    } = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml'));
    const all = dashboards.flatMap(({ dashboard }) => dashboard.panels as Json[]);
    expect(
      new Set(
        all.flatMap(({ datasource, targets }) => [
          datasource.uid,
          ...(targets as Json[]).map((target) => target.datasource.uid),
        ]),
      ),
    ).toEqual(new Set([source.uid]));
    expect(all.filter(({ title, fieldConfig }) => title === '' || fieldConfig.defaults.unit === undefined)).toEqual([]);
    for (const { dashboard } of dashboards)
      expect(new Set((dashboard.panels as Json[]).map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('are in the folder that docker-compose.yml configures for Grafana', () => {
    const {
      providers: [provider],
    } = parse(read('deploy/grafana/provisioning/dashboards/dashboards.yml'));
    expect(read('docker-compose.yml')).toContain(`./${DASHBOARDS}:${provider.options.path}:ro`);
  });
});

describe('The alerts', () => {
  it('each have a severity, and a sentence about what is wrong and what to do first', () => {
    const isSentence = (text: unknown): boolean => typeof text === 'string' && /^[A-Z{`].+\.$/.test(text);
    expect(alerts.length).toBeGreaterThanOrEqual(12);
    expect(
      alerts
        .filter(
          ({ labels, annotations }) =>
            !['critical', 'warning'].includes(labels?.severity) ||
            !isSentence(annotations?.summary) ||
            !isSentence(annotations?.runbook),
        )
        .map(({ alert }) => alert),
    ).toEqual([]);
  });

  it('are all in the guide, with what to do first', () => {
    const rows = rowsOf(sectionOf(read('deploy/README.md'), '## Response to each alert'));
    expect(rows).toEqual(alerts.map(({ alert, annotations }) => [`\`${alert}\``, annotations.runbook]));
  });

  it('are sent to the Alertmanager of docker-compose.yml, whose route has a receiver', () => {
    const {
      alerting: {
        alertmanagers: [
          {
            static_configs: [{ targets }],
          },
        ],
      },
    } = parse(read('deploy/prometheus/prometheus.yml'));
    const {
      services: { alertmanager },
    } = parseCompose(read('docker-compose.yml'));
    expect(targets).toEqual(['alertmanager:9093']);
    expect(alertmanager.ports).toEqual(['127.0.0.1:9093:9093']);
    const { route, receivers } = parse(read('deploy/prometheus/alertmanager.yml'));
    expect((receivers as Json[]).map(({ name }) => name as string)).toContain(route.receiver);
  });

  it('all fire in the tests of the alerts', () => {
    const tested = read('deploy/prometheus/alerts.test.yml');
    expect(
      alerts.map(({ alert }) => alert as string).filter((name) => !tested.includes(`alertname="${name}"`)),
    ).toEqual([]);
  });
});

/** Tests of the alerts, by how their names begin. */
const AS_BAD_AS_MAY_BE = 'everything is as bad';
const DAILY = "a day's work";

describeWith(['promtool'], 'promtool', () => {
  const copy = (): string => {
    const folder = temporaryFolder();
    cpSync(join(ROOT, 'deploy/prometheus'), folder, { recursive: true });
    return folder;
  };

  it('finds no problem in the scraped metrics and the shipped rules', async () => {
    const folder = join(ROOT, 'deploy/prometheus');
    const checked = await runProgram('promtool', ['check', 'config', 'prometheus.yml'], { folder });
    expect(checked).toMatch(/SUCCESS: .*prometheus\.yml is valid prometheus config file syntax/);
    expect(checked).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(await runProgram('promtool', ['check', 'rules', 'alerts.yml'], { folder })).toContain(
      `SUCCESS: ${alerts.length} rules found`,
    );
  });

  it('sees every alert fire when it should, and none when everything is just good enough', async () => {
    expect(await runProgram('promtool', ['test', 'rules', 'alerts.test.yml'], { folder: copy() })).toContain('SUCCESS');
  });

  // Each with the one test of the alerts that notices it: all of them take ten times as long.
  it.each([
    ['5xx over 1 %', AS_BAD_AS_MAY_BE, '> 0.01', '> 0.005'],
    ["a vendor's errors over 20 %", AS_BAD_AS_MAY_BE, '> 0.2\n        for: 5m', '> 0.1\n        for: 5m'],
    ['overhead over 50 ms', AS_BAD_AS_MAY_BE, '> 0.05', '> 0.03'],
    ['an event loop later than 200 ms', AS_BAD_AS_MAY_BE, '> 0.2\n        for: 2m', '> 0.1\n        for: 2m'],
    ['meter events older than an hour', AS_BAD_AS_MAY_BE, '> 3600', '> 3599'],
    [
      'a task silent for half an hour',
      AS_BAD_AS_MAY_BE,
      '(mcs_task_last_success_timestamp_seconds) > 1800',
      '(mcs_task_last_success_timestamp_seconds) > 300',
    ],
    [
      'an experiment silent for half an hour',
      AS_BAD_AS_MAY_BE,
      'experiments_silent_seconds) > 1800',
      'experiments_silent_seconds) > 1799',
    ],
    ['a ledger verified a day ago', DAILY, '> 93600', '> 86400'],
    ['a dump of a day ago', DAILY, 'mcs-backup"}) > 93600', 'mcs-backup"}) > 86400'],
    ['a CronJob of another name', DAILY, '{cronjob="mcs-backup"}', ''],
    [
      'a wait that lasts',
      AS_BAD_AS_MAY_BE,
      '> 0\n        for: 1m\n        labels: {severity: warning}\n        annotations:\n          summary: Requests of',
      '>= 0\n        labels: {severity: warning}\n        annotations:\n          summary: Requests of',
    ],
    ['a rule that never fires', 'everything is wrong', 'up{job="mcs"} == 0', 'up{job="msc"} == 0'],
  ])('would notice a wrong bound: %s', async (_rule, test, from, to) => {
    const folder = copy();
    const rules = read('deploy/prometheus/alerts.yml');
    const mistaken = rules.replace(from, to);
    expect(mistaken).not.toBe(rules);
    const all = parse(read('deploy/prometheus/alerts.test.yml')) as { tests: { name: string }[] };
    const tests = all.tests.filter(({ name }) => name.startsWith(test));
    expect(tests).toHaveLength(1);
    writeFileSync(join(folder, 'alerts.test.yml'), stringify({ ...all, tests }));
    writeFileSync(join(folder, 'alerts.yml'), mistaken);
    await expect(runProgram('promtool', ['test', 'rules', 'alerts.test.yml'], { folder })).rejects.toThrow('FAILED');
  });
});
