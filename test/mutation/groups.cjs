const PROVIDERS = 'src/providers';

/** What is mutated, and the pure tests that must notice: those written for the file, not all that happen to load it. */
const GROUPS = {
  money: { mutate: ['src/common/{money,dollars,month}.ts'], tests: ['src/common/{money,month,exact-amounts}.spec.ts'] },
  pricing: { mutate: ['src/billing/{pricing,shares}.ts'], tests: ['src/billing/{pricing,shares,money.properties}.spec.ts'] },
  catalogue: { mutate: ['src/models/catalogue.ts'], tests: ['src/models/catalogue{,.prices}.spec.ts'] },
  failures: {
    mutate: [`${PROVIDERS}/{http,vendor-words}.translate.ts`, `${PROVIDERS}/provider.error.ts`],
    tests: [`${PROVIDERS}/{http.translate,vendor-words.translate,provider.error}.spec.ts`],
  },
  chat: {
    mutate: [`${PROVIDERS}/openai.translate.ts`, `${PROVIDERS}/openai.usage.translate.ts`],
    tests: [`${PROVIDERS}/{openai.translate,openai.usage.translate}.spec.ts`],
  },
  messages: { mutate: [`${PROVIDERS}/anthropic.translate.ts`], tests: [`${PROVIDERS}/anthropic.translate.spec.ts`] },
  vendors: { mutate: [`${PROVIDERS}/chat-vendors.ts`], tests: [`${PROVIDERS}/{providers.module,openai.translate}.spec.ts`] },
  streams: {
    mutate: [`${PROVIDERS}/event.decoder.ts`, 'src/compare/sse.ts'],
    tests: [`${PROVIDERS}/event.decoder.spec.ts`, 'src/compare/sse.spec.ts'],
  },
  results: {
    mutate: ['src/compare/{receipt,tokens}.ts', 'src/evals/ranking.ts'],
    tests: ['src/compare/{receipt,tokens}.spec.ts', 'src/evals/ranking.spec.ts'],
  },
  keys: { mutate: ['src/auth/key-format.ts'], tests: ['src/auth/key-format.spec.ts'] },
};

module.exports = { GROUPS };
