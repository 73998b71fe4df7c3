import { Config } from './config';
import { percentOf, warningsAbout } from './plausibility';
import { strayLines, type Variables } from './process-environment';

const NEEDED = {
  DATABASE_URL: 'postgresql://db.example.com/mcs',
  ADMIN_API_KEY: 'operator-key-0123456789abc',
  API_KEY_PEPPER: 'pepper-0123456789abcdef',
};

function warnings(variables: Variables): string[] {
  const all = { ...NEEDED, ...variables };
  return warningsAbout({ ...Config.read(all) }, all);
}

describe('warningsAbout', () => {
  test.each<[what: string, variables: Variables, sentence: string]>([
    [
      'seconds for milliseconds',
      { MODEL_TIMEOUT_MS: '60' },
      'MODEL_TIMEOUT_MS is 60 milliseconds; if 60 seconds are meant, it has to be 60000.',
    ],
    [
      'the last time below a second',
      { DATABASE_TIMEOUT_MS: '999' },
      'DATABASE_TIMEOUT_MS is 999 milliseconds; if 999 seconds are meant, it has to be 999000.',
    ],
    [
      'far less than a default below a second',
      { MAX_EVENT_LOOP_DELAY_MS: '1' },
      'MAX_EVENT_LOOP_DELAY_MS is 1 milliseconds; if 1 seconds are meant, it has to be 1000.',
    ],
    [
      'an eval shorter than its models',
      { EVAL_TIMEOUT_MS: '59999' },
      'EVAL_TIMEOUT_MS is below MODEL_TIMEOUT_MS, so no model gets the whole MODEL_TIMEOUT_MS.',
    ],
    [
      'a vendor in the clear',
      { OPENAI_BASE_URL: 'http://api.openai.com/v1' },
      'OPENAI_BASE_URL is an http:// address of another machine: keys and prompts are sent there unencrypted. Is https:// meant?',
    ],
    [
      'a key in quotes',
      { OPENAI_API_KEY: '"sk-swordfish"' },
      'OPENAI_API_KEY is in quotation marks, which are part of it.',
    ],
    [
      'a pepper in quotes',
      { API_KEY_PEPPER: "'swordfish-0123456789'" },
      'API_KEY_PEPPER is in quotation marks, which are part of it.',
    ],
    [
      "another vendor's key",
      { OPENAI_API_KEY: 'sk-ant-swordfish' },
      'OPENAI_API_KEY begins like ANTHROPIC_API_KEY; is it in the wrong place?',
    ],
    [
      "OpenRouter's key at Anthropic",
      { ANTHROPIC_API_KEY: 'sk-or-v1-swordfish' },
      'ANTHROPIC_API_KEY begins like OPENROUTER_API_KEY; is it in the wrong place?',
    ],
    [
      "Stripe's publishable key",
      { STRIPE_SECRET_KEY: 'pk_live_swordfish', STRIPE_WEBHOOK_SECRET: 'whsec_x', STRIPE_RETURN_URL: 'https://x' },
      "STRIPE_SECRET_KEY begins like Stripe's publishable key; is it in the wrong place?",
    ],
    [
      "Stripe's secret key as that of its webhook",
      { STRIPE_SECRET_KEY: 'rk_live_x', STRIPE_WEBHOOK_SECRET: 'sk_live_swordfish', STRIPE_RETURN_URL: 'https://x' },
      'STRIPE_WEBHOOK_SECRET begins like STRIPE_SECRET_KEY; is it in the wrong place?',
    ],
    [
      'a pool without measure',
      { DATABASE_POOL_MAX: '501' },
      'DATABASE_POOL_MAX × WEB_CONCURRENCY is 501 connections; Postgres allows 100 in total by default.',
    ],
    [
      'a pool without measure over all workers',
      { DATABASE_POOL_MAX: '100', WEB_CONCURRENCY: '6', REDIS_URL: 'redis://redis' },
      'DATABASE_POOL_MAX × WEB_CONCURRENCY is 600 connections; Postgres allows 100 in total by default.',
    ],
    [
      'one secret for two',
      { API_KEY_PEPPER: NEEDED.ADMIN_API_KEY },
      'API_KEY_PEPPER is the same as ADMIN_API_KEY; each must be a separate secret.',
    ],
    [
      'the admin key for metrics',
      { METRICS_TOKEN: NEEDED.ADMIN_API_KEY },
      'METRICS_TOKEN is the same as ADMIN_API_KEY or API_KEY_PEPPER; readers of the metrics would know that secret.',
    ],
    [
      'a short admin key',
      { ADMIN_API_KEY: 'swordfish-0123456789-23' },
      'ADMIN_API_KEY has fewer than 24 characters, which may be guessed; `openssl rand -hex 32` makes a good one.',
    ],
    [
      'the pepper for metrics',
      { METRICS_TOKEN: `${NEEDED.API_KEY_PEPPER}00`, API_KEY_PEPPER: `${NEEDED.API_KEY_PEPPER}00` },
      'METRICS_TOKEN is the same as ADMIN_API_KEY or API_KEY_PEPPER; readers of the metrics would know that secret.',
    ],
    [
      'a short token',
      { METRICS_TOKEN: 'swordfish-0123456789-23' },
      'METRICS_TOKEN has fewer than 24 characters, which may be guessed; `openssl rand -hex 32` makes a good one.',
    ],
    [
      'a name of 0.1.0',
      { FREE_QUOTA: 'swordfish' },
      'FREE_QUOTA is not read since version 0.2.0; it is FREE_EVALS_PER_MONTH now.',
    ],
    [
      'a name that is misspelled',
      { OPENAI_APIKEY: 'sk-swordfish' },
      'OPENAI_APIKEY is not read. Is OPENAI_API_KEY meant?',
    ],
    [
      'a database in the clear',
      { NODE_ENV: 'production', SIMULATOR: 'on' },
      'DATABASE_URL has no sslmode: prompts, answers and the password go to the database unencrypted. Add sslmode=verify-full, or sslmode=disable if that is meant.',
    ],
  ])('names %s in one sentence without a secret', (_, variables, sentence) => {
    expect(warnings(variables)).toEqual([sentence]);
    expect(sentence).not.toContain('swordfish');
  });

  test("names another vendor's key also in quotes", () => {
    expect(warnings({ OPENAI_API_KEY: "'gsk_swordfish'" })).toEqual([
      'OPENAI_API_KEY is in quotation marks, which are part of it.',
      'OPENAI_API_KEY begins like GROQ_API_KEY; is it in the wrong place?',
    ]);
  });

  test('says nothing of the defaults, and of what may well be meant', () => {
    expect(warnings({})).toEqual([]);
    const meant = {
      MODEL_TIMEOUT_MS: '1000',
      EVAL_TIMEOUT_MS: '1000',
      MAX_EVENT_LOOP_DELAY_MS: '0',
      DATABASE_POOL_MAX: '100',
      WEB_CONCURRENCY: '5',
      REDIS_URL: 'redis://redis',
      METRICS_TOKEN: 'metrics-token-0123456789',
      OPENAI_API_KEY: 'sk-proj-x',
      ANTHROPIC_API_KEY: 'sk-ant-x',
      OPENROUTER_API_KEY: 'sk-or-x',
      GROQ_API_KEY: 'gsk_x',
      XAI_API_KEY: 'xai-x',
      GEMINI_API_KEY: 'AIzax',
      DEEPSEEK_API_KEY: 'sk-x',
      MISTRAL_API_KEY: 'x',
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      STRIPE_RETURN_URL: 'http://app.example.com',
      OPENAI_BASE_URL: 'https://api.openai.com/v1',
      LOCAL_BASE_URL: 'http://localhost:11434/v1',
      GROQ_BASE_URL: 'http://[::1]:8080',
      XAI_BASE_URL: 'http://127.0.0.1',
    };
    expect(warnings(meant)).toEqual([]);
    for (const DATABASE_URL of [
      'postgresql://[::1]/mcs',
      'postgresql://u@%2Fvar%2Frun/mcs',
      'postgresql://db/mcs?sslmode=disable',
      'postgresql://LOCALHOST/mcs',
    ])
      expect(warnings({ NODE_ENV: 'production', SIMULATOR: 'on', DATABASE_URL })).toEqual([]);
  });

  test('looks at what is valid where other settings are not', () => {
    expect(warningsAbout({ MODEL_TIMEOUT_MS: 60 }, {})).toHaveLength(1);
  });
});

describe('percentOf', () => {
  test.each([
    ['0.4', '40 percent'],
    ['0', '0 percent'],
    ['0.29', '29 percent'],
    ['0.000001', '0.0001 percent'],
    ['5', '500 percent'],
  ])('says %s as %s', (margin, words) => {
    expect(percentOf(margin)).toBe(words);
  });
});

describe('strayLines', () => {
  test.each<[text: string, lines: number[]]>([
    ['PORT=3000\n# a comment\n\n export HOST = 0.0.0.0 # ours\r\nEMPTY=\n', []],
    ['PORT 3000', [1]],
    ['PORT=1\nsk-swordfish\n', [2]],
    ['PORT=1\r\n{"PORT": 2}\r\n', [2]],
    ['=x', [1]],
    ['KEY="one\ntwo\nthree" # ours\nfour\nB=it\'s\nC=1', [4]],
    ["A='x\ny'\nB=`z\nw`\nv", [5]],
    ['A=1\n"B=2"\n', [2]],
  ])('finds in %j the lines %j', (text, lines) => {
    expect(strayLines(text)).toEqual(lines);
  });
});
