import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions, PeerCertificate } from 'node:tls';
import { parseConnectionString } from '../../../src/platform/config/connection-string';
import { aCertificate, aCertificateAuthority } from '../../support/certificates';

const ca = aCertificateAuthority('The CA');
const mine = aCertificate(ca, 'mcs');

describe('A connection string with certificates', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcs-certificates-'));
    const files = {
      'ca.pem': ca.certificate,
      'cert.pem': mine.certificate,
      'key.pem': mine.key,
      'other-key.pem': aCertificate(ca, 'other').key,
      'words.pem': 'words',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function tls(parameters: string): ConnectionOptions {
    const { ssl } = parseConnectionString(
      `postgresql://mcs:secret@db.example.com/mcs?${parameters.replaceAll('FOLDER', folder)}`,
    );
    if (ssl === false) throw new Error('There is no TLS.');
    return ssl;
  }

  it.each(['require', 'verify-ca'])(
    'verifies, with sslmode=%s and a root certificate, who signed the certificate, and not its host name',
    (mode) => {
      const { ca: trusted, rejectUnauthorized, checkServerIdentity } = tls(`sslmode=${mode}&sslrootcert=FOLDER/ca.pem`);
      expect({ trusted, rejectUnauthorized }).toEqual({ trusted: ca.certificate, rejectUnauthorized: true });
      expect(
        checkServerIdentity?.('db.example.com', {
          subject: {},
          subjectaltname: 'DNS:elsewhere.example.com',
        } as PeerCertificate),
      ).toBeUndefined();
    },
  );

  it('verifies both with sslmode=verify-full', () => {
    const {
      ca: trusted,
      rejectUnauthorized,
      checkServerIdentity,
    } = tls('sslmode=verify-full&sslrootcert=FOLDER/ca.pem');
    expect({ trusted, rejectUnauthorized }).toEqual({ trusted: ca.certificate, rejectUnauthorized: true });
    expect(
      checkServerIdentity?.('db.example.com', {
        subject: {},
        subjectaltname: 'DNS:elsewhere.example.com',
      } as PeerCertificate),
    ).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('presents the client certificate it is given', () => {
    expect(tls('sslmode=require&sslcert=FOLDER/cert.pem&sslkey=FOLDER/key.pem')).toEqual({
      cert: mine.certificate,
      key: mine.key,
      rejectUnauthorized: false,
    });
  });

  it.each([
    ['sslmode=verify-full&sslrootcert=FOLDER/words.pem', 'the file of sslrootcert holds no certificate in PEM format'],
    ['sslmode=require&sslcert=FOLDER/cert.pem', 'sslcert and sslkey need each other'],
    ['sslmode=require&sslkey=FOLDER/key.pem', 'sslcert and sslkey need each other'],
    [
      'sslmode=require&sslcert=FOLDER/words.pem&sslkey=FOLDER/key.pem',
      'the file of sslcert holds no certificate in PEM format',
    ],
    [
      'sslmode=require&sslcert=FOLDER/cert.pem&sslkey=FOLDER/words.pem',
      'the file of sslkey holds no private key in PEM format, or one with a passphrase',
    ],
    ['sslmode=require&sslcert=FOLDER/cert.pem&sslkey=FOLDER/other-key.pem', 'sslkey is not the key of sslcert'],
  ])('is rejected with %s: %s', (parameters, sentence) => {
    expect(() => tls(parameters)).toThrow(sentence);
  });
});
