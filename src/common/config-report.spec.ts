import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf, type SettingReport } from './config-report';
import { environment } from './environment';
import type { Variables } from './process-environment';

const PRODUCTION = { NODE_ENV: 'production', SIMULATOR: 'on', DATABASE_URL: 'postgresql://mcs:pa55word@db/mcs?sslmode=disable', ADMIN_API_KEY: 'operator-key-0123456789', API_KEY_PEPPER: 'pepper-0123456789abcdef' };

function settingOf(name: string, variables: Variables): SettingReport | undefined {
  return reportOf(variables).settings.find((setting) => setting.name === name);
}

describe('reportOf', () => {
  test('names every setting once, in the order of the documents', () => {
    expect(reportOf({}).settings.map(({ name }) => name)).toEqual(Object.keys(environment.shape));
  });

  test.each<[string, Variables, Omit<SettingReport, 'name'>]>([
    ['PORT', {}, { source: 'default', value: '3000' }],
    ['PORT', { PORT: '4000' }, { source: 'environment', value: '4000' }],
    ['PORT', { PORT: 'my-secret-port' }, { source: 'environment', value: 'my-secret-port' }],
    ['MAX_CONCURRENT_COMPARES_PER_KEY', { MAX_CONCURRENT_COMPARES_PER_KEY: '7' }, { source: 'environment', value: '7' }],
    ['CORS_ORIGINS', {}, { source: 'default', value: null }],
    ['METRICS_TOKEN', {}, { source: 'default', value: null }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'metrics-0123456789' }, { source: 'environment', value: 'set' }],
    ['OPENAI_API_KEY', { OPENAI_API_KEY: 'k' }, { source: 'environment', value: 'set' }],
    ['OPENAI_BASE_URL', { OPENAI_BASE_URL: 'https://proxy.example.com' }, { source: 'environment', value: 'https://proxy.example.com' }],
    ['OPENAI_BASE_URL', { OPENAI_BASE_URL: 'https://me:pa55word@proxy.example.com' }, { source: 'environment', value: 'set' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://mcs:pa55word@db/mcs' }, { source: 'environment', value: 'set' }],
    ['DATABASE_URL', { DATABASE_URL: 'pa55word' }, { source: 'environment', value: 'set' }],
    ['REDIS_URL', { REDIS_URL: 'redis://redis:6379' }, { source: 'environment', value: 'set' }],
    ['ADMIN_API_KEY', {}, { source: 'default', value: 'generated at the first start' }],
    ['ADMIN_API_KEY', { NODE_ENV: 'production' }, { source: 'default', value: null }],
  ])('shows %s of %j', (name, variables, expected) => {
    expect(settingOf(name, variables)).toEqual({ name, ...expected });
  });

  test('says what came from a file, and shows none of it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcs-report-'));
    writeFileSync(join(folder, 'key'), 'operator-key-0123456789\n');
    const variables = { ADMIN_API_KEY_FILE: join(folder, 'key') };
    expect(settingOf('ADMIN_API_KEY', variables)).toEqual({ name: 'ADMIN_API_KEY', source: 'file', value: 'set' });
    expect(JSON.stringify(reportOf(variables))).not.toContain('operator-key');
    rmSync(folder, { recursive: true });
  });

  test('finds no problem where the service would start: in production with what it needs, elsewhere with nothing', () => {
    expect(reportOf(PRODUCTION).problems).toEqual([]);
    expect(reportOf({}).problems).toEqual([]);
    expect(reportOf({ NODE_ENV: 'production' }).problems).toEqual(expect.arrayContaining(['DATABASE_URL: is missing', 'ADMIN_API_KEY: is missing', 'API_KEY_PEPPER: is missing']));
    expect(reportOf({ ADMIN_API_KEY_FILE: '/nowhere' }).problems).toEqual(['ADMIN_API_KEY_FILE: names a file that is not there']);
  });

  test.each([
    ['OPENAI_API_KY', 'OPENAI_API_KEY'], ['OPENAI_APIKEY', 'OPENAI_API_KEY'], ['openai_api_key', 'OPENAI_API_KEY'], ['METRICS_TOKN', 'METRICS_TOKEN'], ['REDIS_URI', 'REDIS_URL'],
    ['ADMIN_API_KEY_FIL', 'ADMIN_API_KEY_FILE'], ['RATE_LIMITS_READ_PER_MINUTES', 'RATE_LIMIT_READ_PER_MINUTE'],
  ])('names %s, which looks like %s', (name, similar) => {
    expect(reportOf({ [name]: 'x' }).unknown).toEqual([{ name, similar }]);
  });

  test.each(['PAGER', 'HOME', 'HOSTNAME', 'PATH', 'PORTS', 'NODE_OPTIONS', 'PGSSLMODE', 'MODEL_CATALOG_FILE', 'OPENAI_ORGANIZATION', 'LOGNAME', 'SHELL', 'LANG', 'ADMIN_API_KEY'])('leaves %s alone', (name) => {
    expect(reportOf({ [name]: 'x'.repeat(20) }).unknown).toEqual([]);
  });
});
