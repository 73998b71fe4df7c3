import '../bootstrap/check-node-version';
import { join } from 'node:path';
import { findLocalSecrets } from '../bootstrap/local-secrets';
import { LOCAL_FOLDER } from '../bootstrap/prepare';
import { thisMachine } from '../clients/cli/environment';
import { run } from '../clients/cli/program';
import { environmentVariables } from '../platform/config/process-environment';
import { readSettingFiles } from '../platform/config/setting-files';
import { runToEnd } from '../bootstrap/run-command';

/**
 * `npm run admin -- COMMAND`: runs `mcs admin COMMAND` against the service of this machine, with the HOST, PORT and
 * ADMIN_API_KEY of its settings.
 * MCS_URL and MCS_ADMIN_KEY name another service. The local key is sent to the local address only, as a saved login is.
 */
void runToEnd(async () => {
  const { variables } = readSettingFiles(environmentVariables());
  const apiKey =
    variables['ADMIN_API_KEY'] ??
    (variables['NODE_ENV'] === 'production'
      ? undefined
      : findLocalSecrets(join(process.cwd(), LOCAL_FOLDER))?.ADMIN_API_KEY);
  const login = {
    text: JSON.stringify({
      url: urlOf(variables['HOST'] ?? '127.0.0.1', variables['PORT'] ?? '3000'),
      api_key: apiKey,
    }),
    isPrivate: true,
  };
  const machine = thisMachine();
  process.exitCode = await run(
    ['admin', ...process.argv.slice(2)],
    apiKey === undefined ? machine : { ...machine, readPrivateFile: () => login },
  );
});

function urlOf(host: string, port: string): string {
  // A service on all addresses is on this one too.
  const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
