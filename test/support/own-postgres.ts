import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/bootstrap/embedded-postgres/embedded-postgres';
import { identify } from '../../src/bootstrap/embedded-postgres/processes';
import type { Certificate } from './certificates';
import { endOnce } from './cleanup';
import { freshDatabase, onDatabase } from './database';
import { eventually } from './factories';
import { dataFolderOf, endPostgresAfterThisProcess, type Guard } from './postgres-guard';

const OPTIONS = { database: 'mcs_test', maxConnections: 100 };

/** A Postgres that a test has for itself, so that it may break it. Durable: what it has acknowledged must survive. */
export class OwnPostgres {
  private frozen: number[] = [];
  /** Ends it for good. */
  readonly close = endOnce(async () => {
    this.thaw();
    await this.owner.stop();
    this.guard.release();
  });

  private constructor(
    private readonly folder: string,
    private readonly owner: EmbeddedPostgres,
    private readonly dataFolder: string,
    private readonly guard: Guard,
  ) {}

  static async start(name: string): Promise<OwnPostgres> {
    const folder = join(__dirname, '../../.local', `test-postgres-${name}`);
    const owner = await EmbeddedPostgres.start({ folder, ...OPTIONS });
    const dataFolder = await dataFolderOf(owner.url);
    return new OwnPostgres(folder, owner, dataFolder, endPostgresAfterThisProcess(dataFolder));
  }

  /** An empty database of it. */
  async database(name: string): Promise<string> {
    return freshDatabase(this.owner.url, name);
  }

  /**
   * From now on it speaks TLS with that certificate, and takes those of users that the same CA signed; without one it
   * speaks none. Databases named `*_tls` take no other connections, `*_cert` none without a certificate.
   */
  async speakTls(tls?: { certificate: Certificate; ca: Certificate }): Promise<void> {
    const { uid, gid } = statSync(this.dataFolder);
    const put = (name: string, text: string) => {
      const file = join(this.dataFolder, name);
      writeFileSync(file, text, { mode: 0o600 });
      chownSync(file, uid, gid);
    };
    if (tls !== undefined) {
      put('server.crt', tls.certificate.certificate);
      put('server.key', tls.certificate.key);
      put('ca.crt', tls.ca.certificate);
    }
    put(
      'pg_hba.conf',
      [
        'hostnossl /_tls$ all all reject',
        'hostnossl /_cert$ all all reject',
        'hostssl /_cert$ all all cert',
        'host all all all scram-sha-256',
        '',
      ].join('\n'),
    );
    await onDatabase(this.owner.url, async (client) => {
      await client.query(`alter system set ssl_ca_file = '${tls === undefined ? '' : 'ca.crt'}'`);
      await client.query(`alter system set ssl = ${tls === undefined ? 'off' : 'on'}`);
      await client.query('select pg_reload_conf()');
    });
    const answersAs = async () =>
      onDatabase(this.owner.url, async (client) => (await client.query<{ ssl: string }>('show ssl')).rows[0]?.ssl);
    await eventually(
      'it has read its settings',
      async () => (await answersAs()) === (tls === undefined ? 'off' : 'on'),
    );
  }

  /** Ends it: KILL as a crash would, INT as `pg_ctl stop -m fast` does. */
  async end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const pid = this.postmaster();
    process.kill(pid, signal);
    await eventually('Postgres is gone', () => identify(pid) === undefined);
  }

  /** Starts it again on the same data and port. */
  async restart(): Promise<void> {
    const { url } = await EmbeddedPostgres.start({ folder: this.folder, ...OPTIONS });
    if (url !== this.owner.url) throw new Error('Postgres came back at another address.');
  }

  /** Stops every process of it in the middle of whatever it does; connections stay open and nothing answers. */
  async freeze(): Promise<void> {
    const admin = new Client({ connectionString: this.owner.url });
    // It is lost with the server, which is what the tests do.
    admin.on('error', () => undefined);
    await admin.connect();
    const postmaster = this.postmaster();
    this.frozen = [postmaster];
    process.kill(postmaster, 'SIGSTOP');
    // No process can join them any longer.
    const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity');
    this.frozen.push(...rows.map(({ pid }) => pid));
    for (const pid of this.frozen) process.kill(pid, 'SIGSTOP');
    void admin.end();
  }

  /** Lets every process of it go on. */
  thaw(): void {
    for (const pid of this.frozen.splice(0)) {
      if (identify(pid) !== undefined) process.kill(pid, 'SIGCONT');
    }
  }

  private postmaster(): number {
    const file = join(this.dataFolder, 'postmaster.pid');
    if (!existsSync(file)) throw new Error('Postgres does not run.');
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  }
}
