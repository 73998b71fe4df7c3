const PROVIDERS = 'src/modules/providers';

/** The mutated files, and the pure tests that must notice: the tests written for the file, not all that load it. */
const GROUPS = {
  money: {
    mutate: ['src/common/{money,month}.ts'],
    tests: ['src/common/{money,month}.spec.ts', 'src/platform/http/validation/exact-amounts.spec.ts'],
  },
  pricing: {
    mutate: ['src/modules/billing/{pricing,charge-breakdown}.ts'],
    tests: ['src/modules/billing/{pricing,charge-breakdown,money.properties}.spec.ts'],
  },
  catalog: { mutate: ['src/modules/models/catalog.ts'], tests: ['src/modules/models/catalog{,.prices}.spec.ts'] },
  failures: {
    mutate: [`${PROVIDERS}/{map-provider-error,map-sdk-error,parse-error-body}.ts`, `${PROVIDERS}/provider.error.ts`],
    tests: [`${PROVIDERS}/{map-provider-error,map-sdk-error,parse-error-body,provider.error}.spec.ts`],
  },
  chat: {
    mutate: [`${PROVIDERS}/openai/{chat-accumulator,convert-openai-usage,prepare-chat-request}.ts`],
    tests: [`${PROVIDERS}/openai/*.spec.ts`],
  },
  messages: {
    mutate: [`${PROVIDERS}/anthropic/{message-accumulator,convert-anthropic-usage,prepare-message-request}.ts`],
    tests: [`${PROVIDERS}/anthropic/*.spec.ts`],
  },
  vendors: {
    mutate: [`${PROVIDERS}/chat-vendors.ts`],
    tests: [`${PROVIDERS}/{providers.module,openai/chat-accumulator,openai/prepare-chat-request}.spec.ts`],
  },
  streams: {
    mutate: [`${PROVIDERS}/read-response.ts`, 'src/modules/compare/stream/sse.ts'],
    tests: [`${PROVIDERS}/read-response.spec.ts`, 'src/modules/compare/stream/sse.spec.ts'],
  },
  results: {
    mutate: [
      'src/modules/execution/build-result.ts',
      'src/modules/providers/tokens/token-count.ts',
      'src/modules/evals/ranking.ts',
    ],
    tests: [
      'src/modules/execution/build-result.spec.ts',
      'src/modules/providers/tokens/token-count.spec.ts',
      'src/modules/evals/ranking.spec.ts',
    ],
  },
  keys: {
    mutate: ['src/modules/auth/api-key.format.ts', 'src/modules/auth/token.format.ts'],
    tests: ['src/modules/auth/api-key.format.spec.ts'],
  },
};

module.exports = { GROUPS };
