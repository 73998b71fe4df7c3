import { Config, ConfigError } from './config';
import { environment } from './environment';
import { environmentVariables, type Variables } from './process-environment';
import { REQUEST_LIMITS } from './request-limits';

const NEEDED = {
  DATABASE_URL: 'postgresql://mcs:mcs@127.0.0.1:5432/mcs',
  ADMIN_API_KEY: 'operator-key-0123456789',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
};
const PRODUCTION = { ...NEEDED, NODE_ENV: 'production' };

function read(variables: Variables = {}): Config {
  return Config.read({ ...NEEDED, ...variables });
}

/** The problems that a start with these variables reports. */
function complaint(variables: Variables): string {
  try {
    Config.read(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('These variables were accepted.');
}

describe('Config', () => {
  test('uses the documented defaults for settings that are absent', () => {
    expect(read()).toMatchObject({
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: 3000,
      LOG_LEVEL: 'info',
      TRUST_PROXY: false,
      MODEL_TIMEOUT_MS: 60_000,
      EVAL_TIMEOUT_MS: 90_000,
      MAX_VENDOR_RETRIES: 2,
      MAX_MODELS: 8,
      MAX_PROMPT_CHARACTERS: 32_000,
      MAX_INPUT_CHARACTERS: 128_000,
      MAX_OUTPUT_TOKENS: 16_384,
      BILLING_MARGIN: '0.4',
      BILLING_ENFORCEMENT: 'meter',
      FREE_EVALS_PER_MONTH: 100,
      MAX_CONCURRENT_COMPARES: 100,
      MAX_EVENT_LOOP_DELAY_MS: 500,
      RATE_LIMIT_COMPARE_PER_MINUTE: 300,
      MAX_CONCURRENT_COMPARES_PER_KEY: 50,
      RATE_LIMIT_READ_PER_MINUTE: 1200,
      RATE_LIMIT_AUTH_FAILURES_PER_MINUTE: 60,
    });
  });

  test('has no default for any secret', () => {
    const config = read();
    expect([config.OPENAI_API_KEY, config.ANTHROPIC_API_KEY]).toEqual([undefined, undefined]);
    expect(complaint({ DATABASE_URL: NEEDED.DATABASE_URL })).toMatch(
      /ADMIN_API_KEY: is missing[^]*API_KEY_PEPPER: is missing/,
    );
  });

  test.each(Object.keys(NEEDED))('reports that %s is missing', (name) => {
    expect(complaint({ ...NEEDED, [name]: undefined })).toContain(`${name}: is missing`);
  });

  test('cannot be changed once it is read', () => {
    const config = read() as { PORT: number };
    expect(() => {
      config.PORT = 1;
    }).toThrow(TypeError);
  });

  test.each([
    ['true', true],
    ['1', true],
    ['on', true],
    ['yes', true],
    ['ON', true],
    ['false', false],
    ['0', false],
    ['off', false],
    ['no', false],
  ])('reads the boolean %s as %p', (text, value) => {
    expect(read({ LOG_PROMPTS: text }).LOG_PROMPTS).toBe(value);
  });

  test.each<[string, unknown]>([
    ['false', false],
    ['0', false],
    ['true', true],
    ['1', 1],
    ['12', 12],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, 192.0.2.7,fd00::/8', ['10.0.0.0/8', '192.0.2.7', 'fd00::/8']],
  ])('reads TRUST_PROXY=%s as %p', (text, value) => {
    expect(read({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(value);
  });

  test.each([
    'maybe',
    '-1',
    '1.5',
    '100',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0/8',
    'proxy.example.com',
    '10.0.0.1,elsewhere',
    ',',
    'loopback/8',
  ])('rejects TRUST_PROXY=%s and names the accepted values', (text) => {
    expect(complaint({ ...NEEDED, TRUST_PROXY: text })).toContain(
      '- TRUST_PROXY: must be false, the number of proxies in front, or their networks such as 10.0.0.0/8,loopback',
    );
  });

  test('reads lists with blanks and empty entries', () => {
    expect(read({ FREE_MODELS: ' sim-swift, ,sim-quill,' }).FREE_MODELS).toEqual(['sim-swift', 'sim-quill']);
    expect(read().FREE_MODELS).toBeUndefined();
  });

  test('accepts zero retries and zero free evals, but not zero models', () => {
    expect(read({ MAX_VENDOR_RETRIES: '0', FREE_EVALS_PER_MONTH: '0' })).toMatchObject({
      MAX_VENDOR_RETRIES: 0,
      FREE_EVALS_PER_MONTH: 0,
    });
    expect(complaint({ ...NEEDED, MAX_MODELS: '0' })).toContain('MAX_MODELS');
  });

  test('drains for 5 seconds in production and not at all elsewhere, unless DRAIN_SECONDS is set', () => {
    expect(
      [read(), read({ NODE_ENV: 'production', SIMULATOR: 'on' }), read({ DRAIN_SECONDS: '7' })].map(
        ({ drainMs }) => drainMs,
      ),
    ).toEqual([0, 5000, 7000]);
    expect(read({ NODE_ENV: 'production', SIMULATOR: 'on', DRAIN_SECONDS: '0' }).drainMs).toBe(0);
    for (const wrong of ['-1', '1.5', '3601', 'long'])
      expect(complaint({ ...NEEDED, DRAIN_SECONDS: wrong })).toContain('- DRAIN_SECONDS: must be');
  });

  test('takes a margin up to 5', () => {
    expect(read({ BILLING_MARGIN: '5' }).BILLING_MARGIN).toBe('5');
  });

  test('keeps the margin as the decimal it was written as', () => {
    expect(read({ BILLING_MARGIN: '0.400000' }).BILLING_MARGIN).toBe('0.400000');
  });

  test.each<[variables: Variables, on: boolean]>([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'not-enough' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'false' }, true],
  ])('turns traces on or off by the variables of OpenTelemetry: %j is %p', (variables, on) => {
    expect(read(variables).tracesOn).toBe(on);
  });

  test('shares its limits with the validation of requests', () => {
    expect(read({ ...environmentVariables(), ...NEEDED })).toMatchObject(REQUEST_LIMITS);
  });
});

describe('Config with a wrong setting', () => {
  const WRONG: [name: string, value: string][] = [
    ['NODE_ENV', 'staging'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['LOG_LEVEL', 'chatty'],
    ['TRUST_PROXY', 'maybe'],
    ['DATABASE_URL', 'mysql://root:pa55word@db/mcs'],
    ['DATABASE_URL', 'pa55word'],
    ['DATABASE_POOL_MAX', '-3'],
    ['ADMIN_API_KEY', 'tooshort'],
    ['API_KEY_PEPPER', 'tooshort'],
    ['OPENAI_BASE_URL', 'ftp://user:pa55word@files'],
    ['ANTHROPIC_BASE_URL', 'nowhere'],
    ['MODEL_TIMEOUT_MS', '0'],
    ['MAX_VENDOR_RETRIES', '-1'],
    ['MAX_OUTPUT_TOKENS', '1.5'],
    ['BILLING_MARGIN', '-0.4'],
    ['BILLING_MARGIN', '4e-1'],
    ['BILLING_MARGIN', '40%'],
    ['BILLING_MARGIN', '.4'],
    ['BILLING_MARGIN', '0.4000001'],
    ['BILLING_MARGIN', '5.000001'],
    ['BILLING_MARGIN', '40'],
    ['BILLING_ENFORCEMENT', 'gently'],
    ['FREE_EVALS_PER_MONTH', '99.5'],
    ['SIMULATOR', 'perhaps'],
  ];

  test.each(WRONG)('stops the start with the name of %s (here %s)', (name, value) => {
    expect(complaint({ ...NEEDED, [name]: value })).toContain(`- ${name}: `);
  });

  test.each(WRONG)('does not call the setting missing: %s=%s', (name, value) => {
    expect(complaint({ ...NEEDED, [name]: value })).not.toContain('missing');
  });

  test('reports what is wrong with a connection string without quoting it', () => {
    expect(complaint({ ...NEEDED, DATABASE_URL: 'postgresql://mcs:pa55word@db/mcs?connect_timout=7' })).toContain(
      '- DATABASE_URL: the parameter connect_timout is not supported;',
    );
    expect(complaint({ ...NEEDED, DATABASE_URL: 'postgresql://mcs:pa55word@db/mcs?sslmode=prefer' })).not.toMatch(
      /pa55word|prefer/,
    );
  });

  test.each([
    ['require', false],
    ['verify-full', false],
    ['disable', true],
    ['prefer', true],
    [undefined, true],
  ])('does not read PGSSLMODE=%s, and accepts it beside a DATABASE_URL without sslmode: %p', (PGSSLMODE, mayStart) => {
    const start = () => Config.read({ ...NEEDED, DATABASE_URL: 'postgresql://db/mcs', PGSSLMODE });
    if (mayStart) expect(start).not.toThrow();
    else expect(start).toThrow('PGSSLMODE: is not read; put sslmode into DATABASE_URL');
    expect(() => read({ PGSSLMODE })).not.toThrow();
  });

  test.each(['PORT', 'FREE_EVALS_PER_MONTH', 'MODEL_TIMEOUT_MS'])(
    'reports that %s must be a number when it is words',
    (name) => {
      expect(complaint({ ...NEEDED, [name]: 'plenty' })).toContain(`${name}: must be a number`);
    },
  );

  test.each<[name: string, value: string, sentence: string]>([
    ['WEB_CONCURRENCY', '0', 'must be at least 1'],
    ['WEB_CONCURRENCY', '-4', 'must be at least 1'],
    ['WEB_CONCURRENCY', '100000', 'must be at most 1024'],
    ['DRAIN_SECONDS', '-1', 'must be at least 0'],
    ['PORT', ' ', 'must be a number'],
    ['PORT', '0x10', 'must be written in digits'],
    ['EVAL_TIMEOUT_MS', '9e4', 'must be written in digits'],
    ['PORT', '3000.5', 'must be a whole number'],
    ['EVAL_TIMEOUT_MS', '3000000000', 'must be at most 86400000'],
    ['MODEL_TIMEOUT_MS', '86400001', 'must be at most 86400000'],
    ['DATABASE_TIMEOUT_MS', '86400001', 'must be at most 86400000'],
    ['RESERVATION_TTL_SECONDS', '86401', 'must be at most 86400'],
    [
      'METRICS_TOKEN',
      'metrics token of ours',
      'must consist of ASCII letters, digits and signs, without blanks and line ends; callers could not send it otherwise',
    ],
    [
      'OPENAI_API_KEY',
      'sk-one\n# of the team',
      'must be one line of ASCII letters, digits and signs; it could not be sent otherwise',
    ],
    [
      'STRIPE_SECRET_KEY',
      'sk_“one”',
      'must be one line of ASCII letters, digits and signs; it could not be sent otherwise',
    ],
    ['BILLING_MARGIN', '40', 'must be at most 5, which charges six times the cost; 0.4 means 40 percent'],
    ['OPENAI_BASE_URL', 'api.openai.com', 'must begin with https:// (or http://)'],
    ['LOCAL_BASE_URL', 'localhost:11434/v1', 'must begin with https:// (or http://)'],
    ['STRIPE_RETURN_URL', 'grpc://collector', 'must be an http:// or https:// address'],
    ['REDIS_URL', 'redis:6379', 'must be a redis:// or rediss:// address'],
    [
      'REDIS_URL',
      'redis://:100%zz@redis',
      'contains a "%" that is not followed by two hexadecimal digits; it has to be written as %25',
    ],
    ['REDIS_URL', 'redis://redis:6379/limits', 'must end with its port, or with the number of a database such as /0'],
  ])('says of %s=%j that it %s', (name, value, sentence) => {
    expect(complaint({ ...NEEDED, [name]: value }).split('\n')).toContain(`  - ${name}: ${sentence}`);
  });

  test('reads numbers with blanks around them, keys with a line end, and a Redis with the number of a database', () => {
    expect(
      read({ PORT: ' 4000 ', OPENAI_API_KEY: 'sk-one\n', REDIS_URL: 'redis://:p%25w@redis:6379/2' }),
    ).toMatchObject({ PORT: 4000, OPENAI_API_KEY: 'sk-one\n', REDIS_URL: 'redis://:p%25w@redis:6379/2' });
    expect(read({ EVAL_TIMEOUT_MS: '86400000', WEB_CONCURRENCY: '1024', REDIS_URL: 'redis://redis' })).toMatchObject({
      EVAL_TIMEOUT_MS: 86_400_000,
      WEB_CONCURRENCY: 1024,
    });
  });

  test('refuses several workers without a Redis in which they share their limits', () => {
    const sentence =
      'REDIS_URL: is missing, and needed with WEB_CONCURRENCY above 1, whose processes share their rate limits in it';
    expect(complaint({ ...NEEDED, WEB_CONCURRENCY: '2' }).split('\n')).toContain(`  - ${sentence}`);
    expect(() => read({ WEB_CONCURRENCY: '1' })).not.toThrow();
  });

  test('names a misspelled variable beside what is missing', () => {
    const lines = complaint({ ...PRODUCTION, OPENAI_APIKEY: 'sk-swordfish' }).split('\n');
    expect(lines).toEqual([
      'The configuration is not usable:',
      expect.stringMatching(/^ {2}- OPENAI_API_KEY, .*: at least one of these is needed/),
      '  - OPENAI_APIKEY is not read. Is OPENAI_API_KEY meant?',
    ]);
  });

  test('reports all wrong settings together', () => {
    const message = complaint({ ...NEEDED, PORT: '70000', LOG_LEVEL: 'chatty', BILLING_MARGIN: '40%' });
    for (const name of ['PORT', 'LOG_LEVEL', 'BILLING_MARGIN']) expect(message).toContain(`- ${name}: `);
  });

  test('never quotes a wrong value, whichever setting it is', () => {
    const junk = 'h7#swordfish';
    for (const name of Object.keys(environment.shape)) {
      let message = '';
      try {
        Config.read({ ...NEEDED, NODE_ENV: 'production', [name]: junk });
      } catch (error) {
        message = String(error);
      }
      expect(message).not.toContain(junk);
    }
    const everything = complaint(Object.fromEntries(Object.keys(environment.shape).map((name) => [name, junk])));
    expect(everything).toContain('PORT');
    expect(everything).not.toContain('swordfish');
  });
});

describe('Config in production', () => {
  test('accepts the key of a single vendor', () => {
    expect(Config.read({ ...PRODUCTION, OPENAI_API_KEY: 'sk-one' }).hasVendorKey).toBe(true);
    expect(Config.read({ ...PRODUCTION, ANTHROPIC_API_KEY: 'sk-two' }).hasVendorKey).toBe(true);
  });

  test.each([undefined, 'off'])(
    'refuses to start without any vendor key and with SIMULATOR=%s, naming what is needed',
    (simulator) => {
      const message = complaint({ ...PRODUCTION, SIMULATOR: simulator });
      for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'SIMULATOR']) expect(message).toContain(name);
    },
  );

  test('starts without a vendor key when the simulator is switched on explicitly', () => {
    expect(Config.read({ ...PRODUCTION, SIMULATOR: 'on' }).simulatorOn).toBe(true);
  });

  test.each(['true', 'on', 'yes', 'TRUE'])(
    'rejects TRUST_PROXY=%s, with which callers could forge their address',
    (text) => {
      const message = complaint({ ...PRODUCTION, OPENAI_API_KEY: 'sk-one', TRUST_PROXY: text });
      expect(message).toContain(
        '- TRUST_PROXY: must not be true in production, where callers would choose their own address; set the number of proxies in front, or their networks',
      );
      for (const safe of ['false', '1', '10.0.0.0/8'])
        expect(Config.read({ ...PRODUCTION, OPENAI_API_KEY: 'sk-one', TRUST_PROXY: safe })).toBeInstanceOf(Config);
    },
  );

  test('generates no secrets and no database', () => {
    const message = complaint({ NODE_ENV: 'production', OPENAI_API_KEY: 'sk-one' });
    for (const name of Object.keys(NEEDED)) expect(message).toContain(`${name}: is missing`);
  });
});

describe('The simulator', () => {
  test.each([
    ['development without keys', true, {}],
    ['test without keys', true, { NODE_ENV: 'test' }],
    ['development with a key', false, { OPENAI_API_KEY: 'sk-one' }],
    ['development with a key and SIMULATOR=on', true, { ANTHROPIC_API_KEY: 'sk-two', SIMULATOR: 'on' }],
    ['development without keys and SIMULATOR=off', false, { SIMULATOR: 'off' }],
    ['production with a key', false, { NODE_ENV: 'production', OPENAI_API_KEY: 'sk-one' }],
    [
      'production with a key and SIMULATOR=on',
      true,
      { NODE_ENV: 'production', OPENAI_API_KEY: 'sk-one', SIMULATOR: 'on' },
    ],
  ])('is, in %s, switched on: %p', (_, on, variables: Variables) => {
    expect(read(variables).simulatorOn).toBe(on);
  });
});

describe('Config.read of the process environment', () => {
  const NAME = 'MCS_SPEC_VARIABLE';

  afterEach(() => {
    delete process.env[NAME];
  });

  test.each([
    ['', undefined],
    ['set', 'set'],
  ])('reads %j as %p', (value, counted) => {
    process.env[NAME] = value;
    expect(environmentVariables()[NAME]).toBe(counted);
  });
});

describe('The payment provider of the configuration', () => {
  const STRIPE = {
    STRIPE_SECRET_KEY: 'sk_test_swordfish',
    STRIPE_WEBHOOK_SECRET: 'whsec_swordfish',
    STRIPE_RETURN_URL: 'https://app.example.com',
  };

  test('is manual without a Stripe key, whatever other Stripe settings are present', () => {
    expect(read().payments).toBe('manual');
    expect(read({ ...STRIPE, STRIPE_SECRET_KEY: undefined }).payments).toBe('manual');
    expect(read(STRIPE).payments).toBe('stripe');
  });

  test.each(['STRIPE_WEBHOOK_SECRET', 'STRIPE_RETURN_URL'])('requires %s when it is Stripe', (name) => {
    const message = complaint({ ...NEEDED, ...STRIPE, [name]: undefined });
    expect(message).toContain(`${name}: is missing`);
    expect(message).not.toContain('swordfish');
  });
});
