import { readdirSync, readFileSync } from 'node:fs';
import { onDatabase } from '../test/support/database';

const TICKS_PER_SECOND = 100;
const PAGES_PER_MIB = 256;

/** A process with its children, such as Postgres with its connections. Read from /proc, so Linux only. */
export class ProcessFamily {
  constructor(private readonly parent: number) {}

  /** The Postgres that serves a database, which must run on this machine. */
  static async ofPostgres(databaseUrl: string): Promise<ProcessFamily> {
    return onDatabase(databaseUrl, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const parent = Number(statOf(rows[0]?.pid ?? 0)[1]);
      if (!Number.isSafeInteger(parent))
        throw new Error('The processor time of Postgres is read from /proc, so it must run on this machine.');
      return new ProcessFamily(parent);
    });
  }

  /** Processor seconds used so far by all threads of all members, also of children that have ended. */
  cpuSeconds(): number {
    // utime and stime; of the parent also those of the children that it has waited for.
    return this.members()
      .flatMap(({ isParent, fields }) => fields.slice(11, isParent ? 15 : 13))
      .reduce((sum, field) => sum + Number(field) / TICKS_PER_SECOND, 0);
  }

  /** Resident memory of all members in MiB. */
  rssMib(): number {
    return this.members().reduce((sum, { fields }) => sum + Number(fields[21]) / PAGES_PER_MIB, 0);
  }

  private members(): { isParent: boolean; fields: string[] }[] {
    const pids = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
    return pids
      .map((pid) => ({ isParent: pid === this.parent, fields: statOf(pid) }))
      .filter(({ isParent, fields }) => isParent || Number(fields[1]) === this.parent);
  }
}

// The fields from the third (state) on, which come after the name; none of a process that has ended.
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
