import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** Where the database is and how it is connected to, in the words of `pg`. */
export interface ConnectionSettings {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string;
  application_name: string;
  ssl: false | ConnectionOptions;
}

/** A connection string that cannot be followed to the letter; the message names the part, never its value. */
export class ConnectionStringError extends Error {}

const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name'] as const;
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const DEFAULT_PORT = 5432;

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Reads `postgresql://user:password@host:port/name?parameter=value` as libpq does; what we do not do is refused rather than ignored.
 * @throws ConnectionStringError
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const url = new URL(text);
  const host = decoded(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const database = decoded(url.pathname).replace(/^\//, '');
  if (host === '') throw new ConnectionStringError('names no host');
  if (host.includes(',')) throw new ConnectionStringError('names several hosts; only one is supported, such as a load balancer that finds the primary');
  if (database === '') throw new ConnectionStringError('names no database');
  if (url.hash !== '') throw new ConnectionStringError('contains a "#", which has to be written as %23');
  const parameters = parametersOf(url);
  return {
    host,
    port: Number(url.port || DEFAULT_PORT),
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    database,
    application_name: parameters.application_name ?? 'mcs',
    ssl: isSocket(host) ? false : tlsOf(parameters, host),
  };
}

/** Whether a server on another machine is spoken to in the clear although nobody has said so. */
export function isSilentlyUnencrypted(text: string): boolean {
  const { host } = parseConnectionString(text);
  const isHere = isSocket(host) || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
  return !isHere && !new URL(text).searchParams.has('sslmode');
}

// Over a socket in the file system there is no TLS, whatever sslmode says.
function isSocket(host: string): boolean {
  return host.startsWith('/');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConnectionStringError('contains a "%" that is not followed by two hexadecimal digits; it has to be written as %25');
  }
}

function parametersOf(url: URL): Parameters {
  const parameters: Parameters = {};
  for (const [name, value] of url.searchParams) {
    const known = PARAMETERS.find((one) => one === name);
    if (known === undefined) throw new ConnectionStringError(`${named(name)} is not supported; supported are ${PARAMETERS.join(', ')}`);
    if (parameters[known] !== undefined) throw new ConnectionStringError(`the parameter ${name} is given twice`);
    if (value === '') throw new ConnectionStringError(`the parameter ${name} is empty`);
    parameters[known] = value;
  }
  return parameters;
}

// What stands behind an unescaped "?" in a password looks like a parameter.
function named(name: string): string {
  return /^\w{1,63}$/.test(name) ? `the parameter ${name}` : 'a parameter';
}

function tlsOf(parameters: Parameters, host: string): false | ConnectionOptions {
  const { sslmode = 'disable' } = parameters;
  if (!SSL_MODES.includes(sslmode)) throw new ConnectionStringError(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  if (sslmode === 'disable') return noTls(parameters);
  const ca = roots(sslmode, parameters.sslrootcert);
  const own = ownCertificate(parameters);
  // As libpq has it: with a root certificate, `require` checks it.
  if (sslmode === 'require' && ca.ca === undefined) return { ...own, rejectUnauthorized: false };
  // Loaded by whoever connects: the primary process of workers only reads addresses, and needs no TLS for that.
  const checkName: NonNullable<ConnectionOptions['checkServerIdentity']> = (_, presented) => (sslmode === 'verify-full' ? process.getBuiltinModule('node:tls').checkServerIdentity(host, presented) : undefined);
  return { ...own, ...ca, rejectUnauthorized: true, checkServerIdentity: checkName };
}

/** The CAs to trust; none said are those that Node knows. */
function roots(sslmode: string, sslrootcert: string | undefined): { ca?: string } {
  if (sslrootcert === 'system' && sslmode !== 'verify-full') throw new ConnectionStringError('sslrootcert=system needs sslmode=verify-full');
  if (sslrootcert === undefined && sslmode === 'verify-ca') throw new ConnectionStringError('sslmode=verify-ca needs sslrootcert');
  return sslrootcert === undefined || sslrootcert === 'system' ? {} : { ca: certificate('sslrootcert', sslrootcert) };
}

function noTls(parameters: Parameters): false {
  for (const name of ['sslrootcert', 'sslcert', 'sslkey'] as const) {
    if (parameters[name] !== undefined) throw new ConnectionStringError(`${name} needs sslmode=require, verify-ca or verify-full`);
  }
  return false;
}

function ownCertificate({ sslcert, sslkey }: Parameters): { cert?: string; key?: string } {
  if (sslcert === undefined && sslkey === undefined) return {};
  if (sslcert === undefined || sslkey === undefined) throw new ConnectionStringError('sslcert and sslkey need each other');
  const cert = certificate('sslcert', sslcert);
  const key = contents('sslkey', sslkey);
  if (!new X509Certificate(cert).checkPrivateKey(privateKey(key))) throw new ConnectionStringError('sslkey is not the key of sslcert');
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
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConnectionStringError(`the file of ${name} cannot be read`);
  }
}
