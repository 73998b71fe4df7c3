import { generateKeyPairSync } from 'node:crypto';
import { isIP } from 'node:net';
import forge from 'node-forge';

/** A certificate with its key, both in PEM format. */
export interface Certificate {
  certificate: string;
  key: string;
}

const PUBLIC_PEM = { type: 'spki', format: 'pem' } as const;
const PRIVATE_PEM = { type: 'pkcs8', format: 'pem' } as const;
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** A CA of that name, made up for a test. */
export function aCertificateAuthority(name: string): Certificate {
  return issue({ name, extensions: [{ name: 'basicConstraints', cA: true, critical: true }, { name: 'keyUsage', keyCertSign: true, critical: true }] });
}

/** A certificate of that CA for a host name, an address or a user. */
export function aCertificate(issuer: Certificate, name: string): Certificate {
  const names = [isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name }];
  return issue({ name, issuer, extensions: [{ name: 'subjectAltName', altNames: names }] });
}

function issue({ name, issuer, extensions }: { name: string; issuer?: Certificate; extensions: object[] }): Certificate {
  // Node's own, which is a hundred times faster.
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: PUBLIC_PEM, privateKeyEncoding: PRIVATE_PEM });
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  made.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  made.validity.notBefore = new Date(Date.now() - YEAR_MS);
  made.validity.notAfter = new Date(Date.now() + YEAR_MS);
  made.setSubject([{ name: 'commonName', value: name }]);
  made.setIssuer(issuer === undefined ? made.subject.attributes : forge.pki.certificateFromPem(issuer.certificate).subject.attributes);
  made.setExtensions(extensions);
  made.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(made), key };
}
