// 1. The service has three floors: modules import platform and common, platform imports common, and common imports
// neither.
// 2. bootstrap, commands and the files of src/ itself are above them and may import all three.
// 3. clients runs elsewhere: it imports common, and nothing imports clients.
// 4. On each floor a folder imports only folders before it in this list. docs/architecture.md draws the same order.
const ORDER = {
  platform: ['observability', 'config', 'background', 'database', 'cluster', 'rate-limiting', 'http'],
  modules: [
    ['audit', 'auth'],
    ['providers', 'models'],
    ['billing', 'usage', 'payments'],
    ['statistics', 'checks'],
    ['evals', 'analysis'],
    ['execution', 'runs', 'compare'],
    ['datasets', 'experiments', 'shares', 'mcp'],
    ['health', 'admin'],
  ].flat(),
  clients: ['client', 'cli', 'page'],
};
const PURE =
  '^src/(common|platform|modules)/[a-z/-]+/[a-z0-9-]+(\\.script|\\.format)?\\.ts$|^src/common/[a-z0-9-]+\\.ts$';
// Plain files that wire things or run the process, or that speak to a library.
const GLUE =
  '^src/platform/database/|^src/platform/config/config\\.ts$|^src/platform/observability/(logger|metrics)\\.ts$|^src/platform/http/(?!validation/)|^src/modules/providers/transport/|^src/modules/auth/authenticate-before-parsing\\.ts$';

const floors = [
  {
    name: 'common-imports-no-other-floor',
    severity: 'error',
    from: { path: '^src/common/' },
    to: { path: '^src/', pathNot: '^src/common/' },
  },
  {
    name: 'platform-imports-common',
    severity: 'error',
    from: { path: '^src/platform/' },
    to: { path: '^src/', pathNot: '^src/(platform|common)/' },
  },
  {
    name: 'modules-import-platform-and-common',
    severity: 'error',
    from: { path: '^src/modules/' },
    to: { path: '^src/', pathNot: '^src/(modules|platform|common)/' },
  },
  {
    name: 'clients-import-common',
    severity: 'error',
    from: { path: '^src/clients/' },
    to: { path: '^src/', pathNot: '^src/(clients|common)/' },
  },
  {
    name: 'service-knows-no-client',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/clients/|^src/commands/admin\\.ts$' },
    to: { path: '^src/clients/' },
  },
];

const inOrder = Object.entries(ORDER).flatMap(([floor, folders]) =>
  folders.map((folder, place) => ({
    name: `${folder}-only-downwards`,
    severity: 'error',
    from: { path: `^src/${floor}/${folder}/` },
    to: { path: `^src/${floor}/`, pathNot: `^src/${floor}/(${folders.slice(0, place + 1).join('|')})/` },
  })),
);

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: { pathNot: '^src/clients/page/' }, to: { circular: true } },
    // src/clients/page/chunks.tsx loads parts that show further parts of it. An import() runs later, and closes no circle.
    {
      name: 'page-no-circles',
      severity: 'error',
      from: { path: '^src/clients/page/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: '\\.(spec|d)\\.ts$|^migrations/|\\.json$|\\.entity\\.ts$|\\.worker\\.ts$|^test/.*\\.cjs$',
      },
      to: {},
    },
    ...floors,
    ...inOrder,
    {
      name: 'statistics-are-arithmetic',
      severity: 'error',
      from: { path: '^src/modules/statistics/' },
      to: { path: '^src/', pathNot: '^src/modules/statistics/' },
    },
    {
      name: 'page-knows-no-command-line',
      severity: 'error',
      from: { path: '^src/clients/page/' },
      to: { path: '^src/clients/cli/' },
    },
    ...ORDER.modules.map((module) => ({
      name: `${module}-keeps-its-repository-and-controller`,
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/modules/${module}/` },
      to: { path: `^src/modules/${module}/.*\\.(repository|controller)\\.ts$` },
    })),
    {
      name: 'sdks-only-in-providers',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/providers/' },
      to: { path: 'node_modules/(openai|@anthropic-ai)/' },
    },
    // Their tables take memory and some hundred milliseconds of the event loop.
    {
      name: 'compilers-of-checks-only-in-threads',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { path: '^src/modules/checks/(re2-pattern|json-schema)\\.ts$', reachable: true },
    },
    {
      name: 'threads-load-no-validator',
      severity: 'error',
      from: { path: '\\.worker\\.ts$' },
      to: { path: 'node_modules/class-(validator|transformer)/', reachable: true },
    },
    {
      name: 'stripe-only-in-payments',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/modules/payments/' },
      to: { path: 'node_modules/stripe/' },
    },
    {
      name: 'orm-only-where-rows-are',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '\\.(entity|repository|service(\\.spec)?|module|column|config)\\.ts$|^src/(platform/database|bootstrap|commands)/|^src/[^/]+$',
      },
      to: { path: 'node_modules/(@mikro-orm|kysely|pg)/' },
    },
    {
      name: 'services-contain-no-sql',
      severity: 'error',
      from: { path: '\\.service\\.ts$', pathNot: '^src/platform/database/' },
      to: { path: 'node_modules/(kysely|pg)/' },
    },
    {
      name: 'pure-files-stay-pure',
      severity: 'error',
      from: { path: PURE, pathNot: GLUE },
      to: {
        path: 'node_modules/(@nestjs|@mikro-orm|kysely|pg|fastify)/|\\.(service|controller|repository|module|guard)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'controllers-speak-to-services',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: 'node_modules/(@mikro-orm|kysely)/|\\.repository\\.ts$' },
    },
    {
      name: 'client-runs-anywhere',
      severity: 'error',
      from: { path: '^src/clients/client/', pathNot: '\\.spec\\.ts$|^src/clients/client/package/' },
      to: { pathNot: '^src/clients/client/|node_modules/(eventsource-parser|yaml)/' },
    },
    {
      name: 'src-knows-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench)/' },
    },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^(src|test)/.*index\\.ts$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
