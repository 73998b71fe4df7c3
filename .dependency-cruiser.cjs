/** The rooms of the house: who may import whom. README "Map of the house" draws the same picture. */
const ALLOWED = {
  common: [],
  audit: ['common'],
  auth: ['audit', 'common'],
  providers: ['common'],
  models: ['providers', 'auth', 'common'],
  billing: ['models', 'providers', 'auth', 'audit', 'common'],
  evals: ['auth', 'audit', 'common'],
  compare: ['models', 'providers', 'billing', 'evals', 'auth', 'common'],
  payments: ['auth', 'common'],
  usage: ['billing', 'auth', 'common'],
  admin: ['billing', 'auth', 'audit', 'common'],
  ops: ['auth', 'common'],
  local: ['auth', 'audit', 'common'],
};
const ROOMS = Object.keys(ALLOWED);
const PURE = '^src/[a-z]+/[a-z0-9-]+(\\.translate|\\.script)?\\.ts$';
// Plain files that are glue all the same: they wire things or run the process.
const GLUE = '^src/(commands|local)/|^src/common/(config|logger|validators|errors|metrics|pg-client|pg-pool)\\.ts$|^src/auth/remembering-reflector\\.ts$';

const onlyDownwards = ROOMS.map((room) => ({
  name: `${room}-only-downwards`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/[a-z]+/', pathNot: `^src/(${[room, ...ALLOWED[room]].join('|')})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: '\\.spec\\.ts$|^migrations/|\\.json$' }, to: {} },
    ...onlyDownwards,
    ...ROOMS.map((room) => ({
      name: `${room}-keeps-its-repository-and-controller`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/${room}/` },
      to: { path: `^src/${room}/.*\\.(repository|controller)\\.ts$` },
    })),
    { name: 'sdks-only-in-providers', severity: 'error', from: { path: '^src/', pathNot: '^src/providers/' }, to: { path: 'node_modules/(openai|@anthropic-ai)/' } },
    { name: 'stripe-only-in-payments', severity: 'error', from: { path: '^src/', pathNot: '^src/payments/' }, to: { path: 'node_modules/stripe/' } },
    {
      name: 'orm-only-where-rows-are',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(entity|repository|service(\\.spec)?|module|column|config)\\.ts$|^src/(commands|local)/|^src/main\\.ts$|^src/common/pg-(client|pool)\\.ts$' },
      to: { path: 'node_modules/(@mikro-orm|kysely|pg)/' },
    },
    {
      name: 'pure-files-stay-pure',
      severity: 'error',
      from: { path: PURE, pathNot: GLUE },
      to: { path: 'node_modules/(@nestjs|@mikro-orm|kysely|pg|fastify)/|\\.(service|controller|repository|module|guard)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    { name: 'controllers-speak-to-services', severity: 'error', from: { path: '\\.controller\\.ts$' }, to: { path: 'node_modules/(@mikro-orm|kysely)/|\\.repository\\.ts$' } },
    { name: 'src-knows-no-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^test/' } },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^(src|test)/.*index\\.ts$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
