import { X509Certificate } from 'node:crypto';
import { isThisMachine, type ConnectionSettings } from '../../platform/config/connection-string';
import { broken, ok, warning, type Judgment } from './finding';
import type { Pooler } from './pooler';
import type { Session } from './session';
import { DAY_MS } from '../../common/clock';

const EXPIRY_NOTICE_DAYS = 30;

/** Diagnoses that no one on the way can read or change the traffic. */
export async function diagnoseTls(
  session: Session,
  settings: ConnectionSettings,
  pooler: Pooler,
  now: Date,
): Promise<Judgment> {
  const { ssl, host } = settings;
  const expiry = certificateVerdict(settings, now);
  if (expiry !== undefined) return expiry;
  if (ssl === false)
    return isThisMachine(host)
      ? ok('None, and none is needed: the database is on this machine.')
      : warning(
          'None: password, prompts and answers cross the network in the clear. Put sslmode=verify-full into DATABASE_URL.',
        );
  if (ssl.rejectUnauthorized === false && !isThisMachine(host))
    return warning(
      'Encrypted, but to an unknown server: sslmode=require does not check who answers. Use sslmode=verify-full.',
    );
  return judgeEncryption(
    await session.queryOne(`
    select coalesce(ssl, false) as "isEncrypted", pg_stat_ssl.version, host(client_addr) as peer from pg_stat_activity left join pg_stat_ssl using (pid) where pid = pg_backend_pid()`),
    pooler,
  );
}

/** The verdict on the server's side of an encrypted connection; behind a pooler it is the pooler's connection. */
export function judgeEncryption(
  { isEncrypted, version, peer }: { isEncrypted: boolean; version: string | null; peer: string | null },
  pooler: Pooler,
): Judgment {
  if (pooler === 'none') return ok(`${version ?? 'On'}.`);
  if (isEncrypted) return ok(`To the pooler, and from there to Postgres (${version}).`);
  return peer === null || isThisMachine(peer)
    ? ok('To the pooler, which is on the machine of Postgres.')
    : warning('Encrypted up to the pooler, and in the clear from there to Postgres.');
}

/** The verdict on the first certificate to expire among those in files, if it has or soon will. */
export function certificateVerdict({ ssl }: ConnectionSettings, now: Date): Judgment | undefined {
  if (ssl === false) return undefined;
  const endings = Object.entries({ sslrootcert: ssl.ca, sslcert: ssl.cert }).flatMap(([name, pem]) =>
    typeof pem === 'string' ? [{ name, ends: new X509Certificate(pem).validToDate }] : [],
  );
  const [first] = endings.sort((left, right) => left.ends.getTime() - right.ends.getTime());
  const days = Math.floor(((first?.ends.getTime() ?? Infinity) - now.getTime()) / DAY_MS);
  if (first === undefined || days >= EXPIRY_NOTICE_DAYS) return undefined;
  const words = (verb: string) =>
    `The certificate in the file of ${first.name} ${verb} out on ${first.ends.toISOString().slice(0, 10)}.`;
  return days < 0 ? broken(words('ran')) : warning(words('runs'));
}
