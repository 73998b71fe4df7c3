import { spawnSync } from 'node:child_process';
import { Api } from '../../support/api';

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;

interface Family {
  name: string;
  type: string;
  help: string;
}

function familiesOf(text: string): Family[] {
  return [...text.matchAll(/^# HELP (?<name>\S+) (?<help>.+)\n# TYPE \S+ (?<type>\w+)$/gm)].map(({ groups }) => ({
    name: groups?.['name'] ?? '',
    type: groups?.['type'] ?? '',
    help: groups?.['help'] ?? '',
  }));
}

/** The violations of Prometheus' naming rules by a metric. */
function faultsOf({ name, type, help }: Family): string[] {
  const rules: [isKept: boolean, fault: string][] = [
    [/^[a-z][a-z0-9_]*$/.test(name), 'a name is lower case with underscores'],
    [(type === 'counter') === name.endsWith('_total'), 'counters end in _total, and nothing else does'],
    [!/_(milliseconds|ms|minutes|kilobytes|megabytes|cents)(_|$)/.test(name), 'units are seconds, bytes and dollars'],
    [type !== 'histogram' || !/_(count|sum|bucket)$/.test(name), 'histograms leave their suffixes to Prometheus'],
    [help.trim() !== '', 'every metric says what it is'],
  ];
  return rules.filter(([isKept]) => !isKept).map(([, fault]) => `${name} (${type}): ${fault}`);
}

describe('The names of the metrics', () => {
  let text: string;
  beforeAll(async () => {
    text = (await new Api(undefined).get('/metrics')).text;
  });

  it('follow the rules of Prometheus', () => {
    const families = familiesOf(text);
    expect(families.length).toBeGreaterThan(30);
    expect(families.flatMap(faultsOf)).toEqual([]);
  });

  if (!HAS_PROMTOOL) process.stderr.write('SKIPPED, because there is no promtool here: promtool check metrics\n');
  (HAS_PROMTOOL ? it : it.skip)('leave `promtool check metrics` nothing to find', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
