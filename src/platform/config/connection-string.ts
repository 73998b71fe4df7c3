import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { readTextFile } from '../../common/read-text-file';

/** Where the database is and how it is connected to, in the words of `pg`. */
export interface ConnectionSettings {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string;
  application_name: string;
  options: string | undefined;
  ssl: false | ConnectionOptions;
  enableChannelBinding: boolean;
  /** True if a login without it is refused; pg itself only prefers it. */
  requireChannelBinding: boolean;
  /** Only where connect_timeout says how long a connection may take, in milliseconds. */
  greetingTimeoutMs?: number;
}

/** A connection string that cannot be followed to the letter; the message names the part, never its value. */
export class ConnectionStringError extends Error {}

const PARAMETERS = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'channel_binding',
  'connect_timeout',
  'options',
  'application_name',
] as const;
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const DEFAULT_PORT = 5432;
/** Several times what all CAs of the web need. */
const MAX_CERTIFICATES_KILOBYTES = 4096;
const ESCAPED = 'in a user name or password, @ : / ? # % are written as %40 %3A %2F %3F %23 %25';
/** Said of every address that cannot be decoded. */
export const STRAY_PERCENT =
  'contains a "%" that is not followed by two hexadecimal digits; it has to be written as %25';
const SEVERAL_HOSTS = 'names several hosts; only one is supported, such as a load balancer that finds the primary';

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Reads `postgresql://user:password@host:port/name?parameter=value` as libpq does; what we do not do is refused rather
 * than ignored.
 * @throws ConnectionStringError
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const url = new URL(text);
  const host = decoded(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const database = decoded(url.pathname).replace(/^\//, '');
  if (host === '') throw new ConnectionStringError('names no host');
  if (host.includes(',')) throw new ConnectionStringError(SEVERAL_HOSTS);
  if (database === '') throw new ConnectionStringError('names no database');
  refuseUnescaped(url);
  const parameters = parametersOf(url);
  const ssl = isSocket(host) ? false : tlsOf(parameters, host);
  return {
    host,
    port: Number(url.port || DEFAULT_PORT),
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    database,
    application_name: parameters.application_name ?? 'mcs',
    options: parameters.options,
    ssl,
    ...channelBindingOf(parameters, ssl !== false),
    ...timeoutOf(parameters),
  };
}

/** The problem of a text that is not an address of a Postgres. */
export function addressProblem(text: unknown): string {
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(String(text)) ?? [];
  if (hosts.includes(',')) return SEVERAL_HOSTS;
  if (hosts === '') return 'must be an address such as postgresql://user:password@host:5432/name';
  if (/^[^[]*:.*:/.test(hosts))
    return 'must be a postgresql:// address; an IPv6 address stands in brackets, such as [::1]';
  return `contains a host or a port that cannot be read; ports end at 65535, and ${ESCAPED}`;
}

/** True if the connection to another machine is unencrypted without an explicit setting. */
export function isSilentlyUnencrypted(text: string): boolean {
  return !isThisMachine(parseConnectionString(text).host) && !new URL(text).searchParams.has('sslmode');
}

/** True if the traffic to this host never leaves the machine. */
export function isThisMachine(host: string): boolean {
  return isSocket(host) || host.toLowerCase() === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

// Over a socket in the file system there is no TLS, whatever sslmode says.
function isSocket(host: string): boolean {
  return host.startsWith('/');
}

// The part after an unescaped "/" in a password looks like the name of the database, and the part before it like the
// host.
function refuseUnescaped({ pathname, hash }: URL): void {
  if (pathname.includes('@'))
    throw new ConnectionStringError(`contains an "@" in the name of the database; ${ESCAPED}`);
  if (hash !== '') throw new ConnectionStringError('contains a "#", which has to be written as %23');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConnectionStringError(STRAY_PERCENT);
  }
}

function parametersOf(url: URL): Parameters {
  const parameters: Parameters = {};
  for (const [name, value] of url.searchParams) {
    const known = PARAMETERS.find((one) => one === name);
    if (known === undefined)
      throw new ConnectionStringError(`${named(name)} is not supported; supported are ${PARAMETERS.join(', ')}`);
    if (parameters[known] !== undefined) throw new ConnectionStringError(`the parameter ${name} is given twice`);
    if (value === '') throw new ConnectionStringError(`the parameter ${name} is empty`);
    parameters[known] = value;
  }
  return parameters;
}

// The part after an unescaped "?" in a password looks like a parameter.
function named(name: string): string {
  return /^\w{1,63}$/.test(name) ? `the parameter ${name}` : 'a parameter';
}

function channelBindingOf(
  { channel_binding: wish = 'disable' }: Parameters,
  isEncrypted: boolean,
): Pick<ConnectionSettings, 'enableChannelBinding' | 'requireChannelBinding'> {
  if (!['disable', 'prefer', 'require'].includes(wish))
    throw new ConnectionStringError('channel_binding must be one of disable, prefer, require');
  if (wish === 'require' && !isEncrypted)
    throw new ConnectionStringError('channel_binding=require needs sslmode=require, verify-ca or verify-full');
  return { enableChannelBinding: wish !== 'disable', requireChannelBinding: wish === 'require' };
}

// As libpq has it: 0 and less are no limit; then our own holds alone.
function timeoutOf({ connect_timeout: seconds = '0' }: Parameters): { greetingTimeoutMs?: number } {
  if (!/^-?\d{1,5}$/.test(seconds))
    throw new ConnectionStringError('connect_timeout must be a whole number of seconds');
  return Number(seconds) > 0 ? { greetingTimeoutMs: Number(seconds) * 1000 } : {};
}

function tlsOf(parameters: Parameters, host: string): false | ConnectionOptions {
  const { sslmode = 'disable' } = parameters;
  if (!SSL_MODES.includes(sslmode)) throw new ConnectionStringError(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  if (sslmode === 'disable') return noTls(parameters);
  const ca = roots(sslmode, parameters.sslrootcert);
  const own = ownCertificate(parameters);
  // As libpq has it: with a root certificate, `require` checks it.
  if (sslmode === 'require' && ca.ca === undefined) return { ...own, rejectUnauthorized: false };
  // Loaded only for connecting: the primary process of workers only parses addresses, and needs no TLS for that.
  const checkName: NonNullable<ConnectionOptions['checkServerIdentity']> = (_, presented) =>
    sslmode === 'verify-full' ? process.getBuiltinModule('node:tls').checkServerIdentity(host, presented) : undefined;
  return { ...own, ...ca, rejectUnauthorized: true, checkServerIdentity: checkName };
}

/** The CAs to trust; by default those of Node. */
function roots(sslmode: string, sslrootcert: string | undefined): { ca?: string } {
  if (sslrootcert === 'system' && sslmode !== 'verify-full')
    throw new ConnectionStringError('sslrootcert=system needs sslmode=verify-full');
  if (sslrootcert === undefined && sslmode === 'verify-ca')
    throw new ConnectionStringError('sslmode=verify-ca needs sslrootcert');
  return sslrootcert === undefined || sslrootcert === 'system' ? {} : { ca: certificate('sslrootcert', sslrootcert) };
}

function noTls(parameters: Parameters): false {
  for (const name of ['sslrootcert', 'sslcert', 'sslkey'] as const) {
    if (parameters[name] !== undefined)
      throw new ConnectionStringError(`${name} needs sslmode=require, verify-ca or verify-full`);
  }
  return false;
}

function ownCertificate({ sslcert, sslkey }: Parameters): { cert?: string; key?: string } {
  if (sslcert === undefined && sslkey === undefined) return {};
  if (sslcert === undefined || sslkey === undefined)
    throw new ConnectionStringError('sslcert and sslkey need each other');
  const cert = certificate('sslcert', sslcert);
  const key = contents('sslkey', sslkey);
  if (!new X509Certificate(cert).checkPrivateKey(privateKey(key)))
    throw new ConnectionStringError('sslkey is not the key of sslcert');
  return { cert, key };
}

function certificate(name: string, path: string): string {
  const pem = contents(name, path);
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new ConnectionStringError(`the file of ${name} holds no certificate in PEM format`);
  }
}

function privateKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConnectionStringError('the file of sslkey holds no private key in PEM format, or one with a passphrase');
  }
}

function contents(name: string, path: string): string {
  const { text, problem } = readTextFile(path, MAX_CERTIFICATES_KILOBYTES);
  if (text === undefined) throw new ConnectionStringError(`${name} ${problem}`);
  return text;
}
