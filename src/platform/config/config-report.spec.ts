import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf, type SettingReport } from './config-report';
import { environment } from './environment';
import type { Variables } from './process-environment';

const PRODUCTION = {
  NODE_ENV: 'production',
  SIMULATOR: 'on',
  DATABASE_URL: 'postgresql://mcs:pa55word@db/mcs?sslmode=disable',
  ADMIN_API_KEY: 'operator-key-0123456789',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
};

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
    [
      'MAX_CONCURRENT_COMPARES_PER_KEY',
      { MAX_CONCURRENT_COMPARES_PER_KEY: '7' },
      { source: 'environment', value: '7' },
    ],
    ['CORS_ORIGINS', {}, { source: 'default', value: null }],
    ['METRICS_TOKEN', {}, { source: 'default', value: null }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'metrics-0123456789' }, { source: 'environment', value: 'set' }],
    ['OPENAI_API_KEY', { OPENAI_API_KEY: 'k' }, { source: 'environment', value: 'set' }],
    [
      'OPENAI_BASE_URL',
      { OPENAI_BASE_URL: 'https://proxy.example.com' },
      { source: 'environment', value: 'https://proxy.example.com' },
    ],
    [
      'OPENAI_BASE_URL',
      { OPENAI_BASE_URL: 'https://me:pa55word@proxy.example.com' },
      { source: 'environment', value: 'set' },
    ],
    [
      'STRIPE_RETURN_URL',
      { STRIPE_RETURN_URL: 'https://app.example.com/billing?token=swordfish' },
      { source: 'environment', value: 'https://app.example.com/billing?…' },
    ],
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

  test('has each unknown variable among its warnings, and the margin in percent', () => {
    expect(
      reportOf({
        ...PRODUCTION,
        ADMIN_API_KEY: 'operator-key-of-24-chars',
        FREE_QUOTA: '5',
        REDIS_URI: 'x',
        BILLING_MARGIN: '0.125',
      }),
    ).toMatchObject({
      margin: '12.5 percent',
      warnings: [
        'FREE_QUOTA is not read since version 0.2.0; it is FREE_EVALS_PER_MONTH now.',
        'REDIS_URI is not read. Is REDIS_URL meant?',
      ],
    });
    expect(reportOf({ ...PRODUCTION, BILLING_MARGIN: '40' }).margin).toBeNull();
    expect(reportOf({})).toMatchObject({ margin: '40 percent', warnings: [] });
  });

  test('says of each setting that no longer exists what takes its place', () => {
    expect(
      reportOf({
        ...PRODUCTION,
        ADMIN_API_KEY: 'operator-key-of-24-chars',
        METRICS_PORT: '9464',
        STRIPE_API_URL_FILE: '/run/stripe',
      }),
    ).toMatchObject({
      problems: [],
      unknown: [],
      warnings: [
        'METRICS_PORT no longer exists; /metrics and /health are on PORT.',
        'STRIPE_API_URL no longer exists; Stripe is always asked at its own address.',
      ],
    });
  });

  test('finds no problem where the service would start: in production with what it needs, elsewhere with nothing', () => {
    expect(reportOf(PRODUCTION).problems).toEqual([]);
    expect(reportOf({}).problems).toEqual([]);
    expect(reportOf({ NODE_ENV: 'production' }).problems).toEqual(
      expect.arrayContaining(['DATABASE_URL: is missing', 'ADMIN_API_KEY: is missing', 'API_KEY_PEPPER: is missing']),
    );
    expect(reportOf({ ADMIN_API_KEY_FILE: '/nowhere' }).problems).toEqual([
      'ADMIN_API_KEY_FILE: names a file that is not there',
    ]);
  });

  test.each([
    ['FREE_QUOTA', 'FREE_EVALS_PER_MONTH'],
    ['RESERVATION_SECONDS', 'RESERVATION_TTL_SECONDS'],
    ['COMPARE_PARALLEL', 'MAX_CONCURRENT_COMPARES_PER_KEY'],
    ['DATABASE_POOL', 'DATABASE_POOL_MAX'],
    ['OPENAI_API_KY', 'OPENAI_API_KEY'],
    ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
    ['openai_api_key', 'OPENAI_API_KEY'],
    ['METRICS_TOKN', 'METRICS_TOKEN'],
    ['REDIS_URI', 'REDIS_URL'],
    ['ADMIN_API_KEY_FIL', 'ADMIN_API_KEY_FILE'],
    ['PORT_FILE', 'PORT'],
    ['OPENAI_BASE_URL_FILE', 'OPENAI_BASE_URL'],
    ['RATE_LIMITS_READ_PER_MINUTES', 'RATE_LIMIT_READ_PER_MINUTE'],
    ['OTEL_EXPORTER_OTLP_ENDPOINTS', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['OTEL_EXPORTER_OTLP_HEADER', 'OTEL_EXPORTER_OTLP_HEADERS'],
    ['OTEL_PROPAGATE_TO_VENDOR', 'OTEL_PROPAGATE_TO_VENDORS'],
  ])('names %s, which looks like %s', (name, similar) => {
    expect(reportOf({ [name]: 'x' }).unknown).toEqual([{ name, similar }]);
  });

  test.each([
    'PAGER',
    'METRICS_TO',
    'HOME',
    'HOSTNAME',
    'PATH',
    'PORTS',
    'NODE_OPTIONS',
    'PGSSLMODE',
    'MODEL_CATALOG_FILE',
    'OPENAI_ORGANIZATION',
    'LOGNAME',
    'SHELL',
    'LANG',
    'ADMIN_API_KEY',
    'OTEL_BSP_SCHEDULE_DELAY',
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    'OTEL_METRICS_EXPORTER',
    'OTEL_PROPAGATORS',
    'OTEL_LOG_LEVEL',
    'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
  ])('leaves %s alone', (name) => {
    expect(reportOf({ [name]: 'x'.repeat(20) }).unknown).toEqual([]);
  });
});
