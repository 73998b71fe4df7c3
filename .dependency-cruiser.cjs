/** The ground floor, which every module of the server may import. */
const GROUND = ['background', 'config', 'observability', 'common'];

/** Who may import whom among the modules of src/, from the bottom up; docs/architecture.md draws the same picture. */
const ALLOWED = {
  common: [],
  observability: ['common'],
  config: ['observability', 'common'],
  background: ['observability', 'config', 'common'],
  database: GROUND,
  cluster: GROUND,
  http: ['database', ...GROUND],
  'rate-limiting': GROUND,
  audit: ['database', ...GROUND],
  auth: ['audit', 'rate-limiting', 'http', 'database', ...GROUND],
  providers: GROUND,
  models: ['providers', 'rate-limiting', 'auth', 'http', ...GROUND],
  billing: ['models', 'providers', 'auth', 'audit', 'database', ...GROUND],
  statistics: [],
  checks: ['statistics', 'auth', 'rate-limiting', 'http', ...GROUND],
  evals: ['billing', 'checks', 'statistics', 'auth', 'audit', 'http', 'database', ...GROUND],
  datasets: ['checks', 'statistics', 'auth', 'audit', 'http', 'database', ...GROUND],
  analysis: ['evals', 'billing', 'models', 'checks', 'statistics', 'auth', 'http', ...GROUND],
  execution: ['models', 'providers', 'billing', 'evals', 'checks', 'auth', 'http', 'database', ...GROUND],
  runs: ['execution', 'billing', 'evals', 'checks', 'auth', 'http', 'database', ...GROUND],
  compare: ['runs', 'execution', 'models', 'providers', 'billing', 'evals', 'analysis', 'checks', 'auth', 'rate-limiting', 'http', 'database', ...GROUND],
  experiments: ['datasets', 'compare', 'runs', 'execution', 'models', 'providers', 'billing', 'evals', 'analysis', 'checks', 'statistics', 'auth', 'audit', 'rate-limiting', 'http', 'database', ...GROUND],
  shares: ['evals', 'analysis', 'checks', 'statistics', 'auth', 'audit', 'rate-limiting', 'http', 'database', ...GROUND],
  payments: ['billing', 'auth', 'audit', 'rate-limiting', 'http', 'database', ...GROUND],
  usage: ['billing', 'auth', 'http', ...GROUND],
  admin: ['usage', 'billing', 'auth', 'audit', 'http', ...GROUND],
  health: ['cluster', 'auth', 'rate-limiting', 'http', 'database', ...GROUND],
  bootstrap: ['models', 'auth', 'audit', 'cluster', 'database', ...GROUND],
  // The code on the machines of callers: neither it nor the service imports the other.
  client: [],
  cli: ['client'],
  page: ['client', 'common'],
};
const MODULES = Object.keys(ALLOWED);
const PURE = '^src/[a-z/-]+/[a-z0-9-]+(\\.script|\\.format)?\\.ts$';
// Plain files that wire things or run the process, or that speak to a library.
const GLUE = '^src/(commands|bootstrap|database)/|^src/config/config\\.ts$|^src/observability/(logger|metrics)\\.ts$|^src/http/(?!validation/)|^src/providers/transport/|^src/auth/authenticate-before-parsing\\.ts$';

const onlyDownwards = MODULES.map((module) => ({
  name: `${module}-only-downwards`,
  severity: 'error',
  from: { path: `^src/${module}/` },
  to: { path: '^src/[a-z-]+/', pathNot: `^src/(${[module, ...ALLOWED[module]].join('|')})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, pathNot: '\\.spec\\.ts$|^migrations/|\\.json$|\\.entity\\.ts$|\\.worker\\.ts$|^test/.*\\.cjs$' }, to: {} },
    ...onlyDownwards,
    ...MODULES.map((module) => ({
      name: `${module}-keeps-its-repository-and-controller`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/${module}/` },
      to: { path: `^src/${module}/.*\\.(repository|controller)\\.ts$` },
    })),
    { name: 'sdks-only-in-providers', severity: 'error', from: { path: '^src/', pathNot: '^src/providers/' }, to: { path: 'node_modules/(openai|@anthropic-ai)/' } },
    // Their tables take memory and some hundred milliseconds of the event loop.
    { name: 'compilers-of-checks-only-in-threads', severity: 'error', from: { path: '^src/main\\.ts$' }, to: { path: '^src/checks/(re2-pattern|json-schema)\\.ts$', reachable: true } },
    { name: 'threads-load-no-validator', severity: 'error', from: { path: '\\.worker\\.ts$' }, to: { path: 'node_modules/class-(validator|transformer)/', reachable: true } },
    { name: 'stripe-only-in-payments', severity: 'error', from: { path: '^src/', pathNot: '^src/payments/' }, to: { path: 'node_modules/stripe/' } },
    {
      name: 'orm-only-where-rows-are',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.(entity|repository|service(\\.spec)?|module|column|config)\\.ts$|^src/(commands|bootstrap|database)/|^src/main\\.ts$' },
      to: { path: 'node_modules/(@mikro-orm|kysely|pg)/' },
    },
    {
      name: 'services-contain-no-sql',
      severity: 'error',
      from: { path: '\\.service\\.ts$', pathNot: '^src/database/' },
      to: { path: 'node_modules/(kysely|pg)/' },
    },
    {
      name: 'pure-files-stay-pure',
      severity: 'error',
      from: { path: PURE, pathNot: GLUE },
      to: { path: 'node_modules/(@nestjs|@mikro-orm|kysely|pg|fastify)/|\\.(service|controller|repository|module|guard)\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    { name: 'controllers-speak-to-services', severity: 'error', from: { path: '\\.controller\\.ts$' }, to: { path: 'node_modules/(@mikro-orm|kysely)/|\\.repository\\.ts$' } },
    {
      name: 'client-runs-anywhere',
      severity: 'error',
      from: { path: '^src/client/', pathNot: '\\.spec\\.ts$|^src/client/package/' },
      to: { pathNot: '^src/client/|node_modules/(eventsource-parser|yaml)/' },
    },
    { name: 'service-knows-no-client', severity: 'error', from: { path: '^src/', pathNot: '^src/(client|cli|page)/|^src/commands/admin\\.ts$' }, to: { path: '^src/(client|cli|page)/' } },
    { name: 'src-knows-no-tests', severity: 'error', from: { path: '^src/', pathNot: '\\.spec\\.ts$' }, to: { path: '^(test|bench)/' } },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^(src|test)/.*index\\.ts$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
