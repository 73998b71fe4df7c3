// node test/openapi-tools/prism.cjs FILE URL: a Prism proxy before the service at URL, which answers 4xx or 5xx to
// every request and response that does not fit the API document. Prints its address.
const { getHttpOperationsFromSpec } = require('@stoplight/prism-http');
const { createServer } = require('@stoplight/prism-http-server');

const noLog = () => undefined;
const logger = {
  trace: noLog,
  debug: noLog,
  info: noLog,
  warn: noLog,
  error: noLog,
  fatal: noLog,
  success: noLog,
  child: () => logger,
};

async function main([file, upstream]) {
  const server = createServer(await getHttpOperationsFromSpec(file), {
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: true,
      mock: { dynamic: false },
    },
    components: { logger },
  });
  process.stdout.write(`${await server.listen(0, '127.0.0.1')}\n`);
  // Only the test that started it uses it.
  process.stdin.resume().on('end', () => process.exit(0));
}

void main(process.argv.slice(2));
