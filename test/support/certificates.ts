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

/** A CA of that name, made up for a test; good for a year, or until it ends. */
export function aCertificateAuthority(name: string, ends?: Date): Certificate {
  return issue({
    name,
    ends,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
}

/** A certificate of that CA for a host name, an address or a user; good since a year ago, or from when it begins. */
export function aCertificate(issuer: Certificate, name: string, ends?: Date, begins?: Date): Certificate {
  const names = [isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name }];
  return issue({ name, issuer, ends, begins, extensions: [{ name: 'subjectAltName', altNames: names }] });
}

interface Request {
  name: string;
  issuer?: Certificate;
  begins?: Date | undefined;
  ends?: Date | undefined;
  extensions: object[];
}

function issue({
  name,
  issuer,
  begins = new Date(Date.now() - YEAR_MS),
  ends = new Date(Date.now() + YEAR_MS),
  extensions,
}: Request): Certificate {
  // Node's own, which is a hundred times faster.
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: PUBLIC_PEM,
    privateKeyEncoding: PRIVATE_PEM,
  });
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  made.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  made.validity.notBefore = begins;
  made.validity.notAfter = ends;
  made.setSubject([{ name: 'commonName', value: name }]);
  made.setIssuer(
    issuer === undefined
      ? made.subject.attributes
      : forge.pki.certificateFromPem(issuer.certificate).subject.attributes,
  );
  made.setExtensions(extensions);
  made.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(made), key };
}
