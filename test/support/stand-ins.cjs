// Loaded into every program under test, before it: the clock of its machine, and the address of Stripe, where a test
// sets them.
const { TEST_CLOCK, STRIPE_STAND_IN } = process.env;

if (TEST_CLOCK !== undefined) {
  const { now } = Date;
  const aheadMs = new Date(TEST_CLOCK).getTime() - now();
  Date.now = () => now() + aheadMs;
}

if (STRIPE_STAND_IN !== undefined) {
  const [http, https] = [require('node:http'), require('node:https')];
  const { hostname, port } = new URL(STRIPE_STAND_IN);
  const agent = new http.Agent({ keepAlive: true });
  const { request } = https;
  https.request = (options, ...rest) =>
    options.host === 'api.stripe.com'
      ? http.request({ ...options, host: hostname, port, agent }, ...rest)
      : request(options, ...rest);
}
