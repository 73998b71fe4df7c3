import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port';
import { temporaryFolder } from '../../support/temporary-folder';
import { deployed } from './deployed';
import { Program, runProgram } from './program';

/** Who calls the admin API through it in tests. */
const OPERATOR = { '    acl operator always_false\n': '    acl operator src 127.0.0.1\n' };
const SERVERS = '    server-template service 10 service:3000 resolvers system\n';

/** A HAProxy in front of services. */
export interface HAProxy {
  url: string;
  program: Program;
}

/**
 * deploy/haproxy.cfg in front of these services, with more texts replaced if wanted; not running. It shows tests the
 * admin API, which the shipped file hides, unless `isHidden`.
 */
export async function writeHAProxyConfig(
  services: readonly string[],
  replacements: Record<string, string> = {},
  isHidden = false,
): Promise<{ file: string; folder: string; url: string }> {
  const folder = temporaryFolder();
  const port = await freePort();
  const servers = services.map((url, i) => `    server service${i + 1} ${new URL(url).host}\n`).join('');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    deployed('haproxy.cfg', {
      '    bind :8080\n': `    bind 127.0.0.1:${port}\n`,
      [SERVERS]: servers,
      ...(isHidden ? {} : OPERATOR),
      ...replacements,
    }),
  );
  return { file, folder, url: `http://127.0.0.1:${port}` };
}

/**
 * Starts HAProxy with deploy/haproxy.cfg in front of these services, and waits until it has found one of them ready.
 */
export async function startHAProxy(
  services: readonly string[],
  replacements: Record<string, string> = {},
  isHidden = false,
): Promise<HAProxy> {
  const { file, folder, url } = await writeHAProxyConfig(services, replacements, isHidden);
  await runProgram('haproxy', ['-c', '-f', file], { folder });
  const isReady = async () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  // In the foreground, one process.
  const program = await Program.start({ program: 'haproxy', args: ['-db', '-f', file], folder, isReady });
  return { url, program };
}
