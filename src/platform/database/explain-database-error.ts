import { isDatabaseUnavailable, isSchemaOutdated } from '../../common/is-database-unavailable';

/** Advice for a database of an older version, or an empty one. */
export const NOT_MIGRATED =
  'The database lacks migrations of this version; run `npm run db:migrate` (in the image: node dist/src/commands/migrate.js).';

const CREATE = 'npm run db:migrate -- --create';

const NO_DATABASE = `DATABASE_URL: there is no database of that name; mend the name, or create the database with \`${CREATE}\`.`;

/**
 * Advice for the operator, by the SQLSTATE or the code of Node's socket and TLS errors, and by the messages of the
 * server, of `pg` and of poolers.
 */
const SENTENCES: readonly (readonly [code: RegExp | undefined, words: RegExp | undefined, sentence: string])[] = [
  [/^3D000$/, undefined, NO_DATABASE],
  [/^08P01$/, /^no such database/, NO_DATABASE],
  [/^28P01$/, undefined, 'DATABASE_URL: the server does not accept this user and password.'],
  [
    /^28000$/,
    /no encryption|SSL off/,
    'DATABASE_URL: the server wants TLS (or has no rule for this user in pg_hba.conf); try sslmode=require or better.',
  ],
  [
    /^28000$/,
    undefined,
    'DATABASE_URL: the server does not let this user in: it does not exist, pg_hba.conf has no rule for it, or a client certificate (sslcert) is needed.',
  ],
  [
    /^42501$/,
    /permission denied to create database/,
    'DATABASE_URL: this user may not create databases; create it as another one.',
  ],
  [
    /^42501$/,
    /permission denied for schema/,
    'DATABASE_URL: this user may not create tables in the schema; migrate as the owner of the database.',
  ],
  [
    /^42501$/,
    /^must be owner/,
    'DATABASE_URL: this user does not own the tables, so it cannot migrate them; migrate as their owner.',
  ],
  [/^42501$/, undefined, 'DATABASE_URL: this user lacks a right on the tables; `npm run doctor` says which.'],
  [
    /^25006$/,
    undefined,
    'DATABASE_URL: the database only reads; is it a standby, or is default_transaction_read_only on?',
  ],
  [
    /^(42P07|42701|42710|42723)$/,
    undefined,
    'DATABASE_URL: the database already has something that a pending migration makes; it is half migrated, or belongs to another program. Nothing was changed; `npm run doctor` says what is missing.',
  ],
  [
    /^53300$/,
    undefined,
    'DATABASE_URL: the server has no connection left; raise its max_connections or lower DATABASE_POOL_MAX.',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, undefined, 'DATABASE_URL: its host is not known.'],
  [/^ECONNREFUSED$/, undefined, 'DATABASE_URL: nothing listens at its host and port; is Postgres running there?'],
  [/^ENOENT$/, /^connect /, 'DATABASE_URL: there is no socket of a Postgres in that folder.'],
  [/^57P03$/, undefined, 'DATABASE_URL: the server is still starting, or is stopping.'],
  [
    undefined,
    /no channel binding/,
    'DATABASE_URL: channel_binding=require, which the server does not offer; poolers such as PgBouncer do not either.',
  ],
  [
    undefined,
    /does not support SSL connections/,
    'DATABASE_URL: sslmode asks for TLS, which the server does not speak.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    undefined,
    "DATABASE_URL: the server's certificate is for another host name, which sslmode=verify-full does not accept.",
  ],
  [/^CERT_HAS_EXPIRED$/, undefined, "DATABASE_URL: the server's certificate, or that of its CA, has run out."],
  [
    /^CERT_NOT_YET_VALID$/,
    undefined,
    "DATABASE_URL: the server's certificate, or that of its CA, is not valid yet; is the clock of this machine right?",
  ],
  [/CERTIFICATE_EXPIRED$/, undefined, 'DATABASE_URL: the certificate of sslcert has run out.'],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|CERT_|INVALID_CA|ERR_OSSL_X509)/,
    undefined,
    "DATABASE_URL: the server's certificate does not come from a CA of sslrootcert.",
  ],
  [
    /^(ERR_SSL_|EPROTO)/,
    undefined,
    'DATABASE_URL: the server ended the TLS handshake; does it know the CA of sslcert?',
  ],
  [
    /^08P01$/,
    /unsupported startup parameter/,
    'DATABASE_URL: the pooler refuses statement_timeout or another startup parameter; list it in its ignore_startup_parameters and set it for the role instead.',
  ],
];

/**
 * One sentence for an error of the database that keeps something from starting, with the name of the setting and none
 * of its values; undefined for any other error.
 */
export function explainDatabaseError(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { message, code } = error as Error & { code?: unknown };
    const fits = (pattern: RegExp | undefined, text: unknown) =>
      pattern !== undefined && typeof text === 'string' && pattern.test(text);
    const found = SENTENCES.find(
      ([codes, words]) => (codes === undefined || fits(codes, code)) && (words === undefined || fits(words, message)),
    );
    if (found !== undefined) return found[2];
  }
  if (isSchemaOutdated(thrown)) return NOT_MIGRATED;
  return isDatabaseUnavailable(thrown)
    ? 'DATABASE_URL: the database does not answer, or broke the connection.'
    : undefined;
}

/**
 * True if the database refused a login, a name, a right or a migration (SQLSTATE 28, 3D and 42); waiting does not help.
 */
export function isRefusedByDatabase(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return /^(28|3D|42)/.test(String((thrown as { code?: unknown }).code)) || isRefusedByDatabase(thrown.cause);
}
