import { registerSecrets, redact } from './redaction';

describe('redact', () => {
  beforeAll(() =>
    registerSecrets({
      OPENAI_API_KEY: 'plain words',
      API_KEY_PEPPER: 'with "quotes" and (signs)',
      API_KEY_PEPPER_PREVIOUS: 'the old pepper',
      METRICS_TOKEN: 'metrics-word',
      STRIPE_WEBHOOK_SECRET: 'whsec_a',
      STRIPE_SECRET_KEY: 'whsec_a_longer',
      LOCAL_API_KEY: 'none',
      DATABASE_URL: 'postgresql://user:p%40ssword@localhost/mcs',
      OPENAI_BASE_URL: 'http://vendor/v1',
      PORT: 3000,
      FREE_MODELS: undefined,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20otlp-token,x-tenant=tenant-a',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:otlp-password@collector:4318',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=100%-bad',
    }),
  );

  it.each([
    ['key plain words.', 'key [redacted].'],
    ['with "quotes" and (signs)', '[redacted]'],
    ['{"pepper":"with \\"quotes\\" and (signs)"}', '{"pepper":"[redacted]"}'],
    ['the old pepper and metrics-word', '[redacted] and [redacted]'],
    ['whsec_a_longer whsec_a', '[redacted] [redacted]'],
    ['p%40ssword p@ssword', '[redacted] [redacted]'],
    [`mcs_${'a'.repeat(36)}`, '[redacted]'],
    [`/shared/mcs_share_${'a'.repeat(36)}/x`, '/shared/[redacted]/x'],
    [`/shared/mcs%5Fshare%5f${'a'.repeat(36)}`, '/shared/[redacted]'],
    ['mcs_share_short', 'mcs_share_short'],
    ['Bearer%20otlp-token, Bearer otlp-token, otlp-token', '[redacted], [redacted], [redacted]'],
    ['tenant-a 100%-bad otlp-password at collector', '[redacted] [redacted] [redacted] at collector'],
    ['none of http://vendor/v1 at 3000 for user', 'none of http://vendor/v1 at 3000 for user'],
  ])('removes the registered secrets from %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});
