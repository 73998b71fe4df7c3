import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allDashboards, panelsOf } from '../deploy/promql';
import { startMeasuredService, touchEverything } from '../deploy/scenario';
import { endAfterTests } from '../support/cleanup';
import { eventually } from '../support/factories';
import { freePort } from '../support/free-port';
import { temporaryFolder } from '../support/temporary-folder';
import { startVendorServer } from '../support/vendor/vendor-server';
import { deployed } from './support/deployed';
import { show } from './support/load';
import { PatroniNode, PATRONI_PROGRAMS, startEtcd } from './support/patroni';
import { Program } from './support/program';
import { describeWith } from './support/programs';

const TOKEN = 'metrics-token-0123456789';

/** The answer to one query of a panel. */
interface Answer {
  title: string;
  expr: string;
  error: string | undefined;
  /** Of each series; Prometheus divides nothing by nothing to NaN. */
  values: number[];
}

describeWith(['prometheus', ...PATRONI_PROGRAMS], 'Prometheus with what is in deploy/', () => {
  let url: string;
  let touch: () => Promise<void>;

  beforeAll(async () => {
    const [node, vendors] = [await PatroniNode.create('postgres1', await startEtcd()), await startVendorServer()];
    await node.start();
    const { service, stop } = await startMeasuredService(node.url(), vendors.url, { METRICS_TOKEN: TOKEN });
    endAfterTests(stop);
    endAfterTests(() => vendors.close());
    touch = () => touchEverything(service);
    url = await startPrometheus(new URL(service.url).port, node.restPort);
  }, 120_000);

  /** The answer of Prometheus' API to a query. */
  const ask = async (path: string) =>
    (await (await fetch(`${url}/api/v1/${path}`)).json()) as { status: string; error?: string; data: never };

  async function answerTo(title: string, expr: string): Promise<Answer> {
    const { status, error, data } = await ask(`query?query=${encodeURIComponent(expr)}`);
    const { result = [] } = (data ?? {}) as { result?: { value: [number, string] }[] };
    return {
      title,
      expr,
      error: status === 'success' ? undefined : error,
      values: result.map(({ value: [, value] }) => Number(value)).filter((value) => !Number.isNaN(value)),
    };
  }

  it('answers the query of every panel without an error and with data', async () => {
    const queries = allDashboards().flatMap(({ dashboard }) =>
      panelsOf(dashboard).flatMap(({ title, queries: all }) => all.map(({ expr }) => ({ title, expr }))),
    );
    expect(queries.length).toBeGreaterThan(40);
    let answers: Answer[] = [];
    await eventually(
      'every panel has data',
      async () => {
        await touch();
        answers = await Promise.all(queries.map(({ title, expr }) => answerTo(title, expr)));
        return answers.every(({ error, values }) => error === undefined && values.length > 0);
      },
      90_000,
    ).catch(() => undefined);
    expect(answers.filter(({ error, values }) => error !== undefined || values.length === 0)).toEqual([]);
    show(
      [
        'What the panels show, of each query the largest value:',
        ...answers.map(
          ({ title, expr, values }) => `| ${title} | \`${expr}\` | ${values.length} series | ${Math.max(...values)} |`,
        ),
      ].join('\n'),
    );
  }, 120_000);

  it('finds no fault in its targets and its rules of alerts', async () => {
    const found = async () => {
      const { activeTargets } = (await ask('targets')).data as {
        activeTargets: { labels: { job: string }; health: string; lastError: string }[];
      };
      return activeTargets.map(({ labels, health, lastError }) => [labels.job, health, lastError]).sort();
    };
    let targets: string[][] = [];
    // A scrape of a busy machine may take longer than the second it has.
    await eventually(
      'both are up',
      async () => (targets = await found()).filter(([, health]) => health === 'up').length === 2,
    ).catch(() => undefined);
    expect(targets).toEqual([
      ['mcs', 'up', ''],
      ['patroni', 'up', ''],
    ]);
    const { groups } = (await ask('rules')).data as { groups: { rules: { name: string; lastError?: string }[] }[] };
    expect(groups.flatMap(({ rules }) => rules).filter(({ lastError = '' }) => lastError !== '')).toEqual([]);
    expect(groups.flatMap(({ rules }) => rules).length).toBeGreaterThanOrEqual(12);
  });
});

/** Prometheus with the files of deploy/prometheus, which scrapes a service and a node of Patroni every second. */
async function startPrometheus(metricsPort: string, patroniPort: number): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  cpSync(join(__dirname, '../../deploy/prometheus'), folder, { recursive: true });
  mkdirSync(join(folder, 'targets'), { recursive: true });
  writeFileSync(join(folder, 'metrics-token'), TOKEN);
  writeFileSync(join(folder, 'targets/patroni.yml'), `- targets: ["127.0.0.1:${patroniPort}"]\n`);
  writeFileSync(
    join(folder, 'prometheus.yml'),
    deployed('prometheus/prometheus.yml', {
      'scrape_interval: 15s': 'scrape_interval: 1s',
      'evaluation_interval: 15s': 'evaluation_interval: 1s',
      '    dns_sd_configs:\n      - names: [service]\n        type: A\n        port: 3000\n        refresh_interval: 15s\n': `    static_configs:\n      - targets: ["127.0.0.1:${metricsPort}"]\n`,
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  await Program.start({
    program: 'prometheus',
    args,
    folder,
    isReady: () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return url;
}
