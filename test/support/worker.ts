/** The environment of one jest worker, prepared by the global setup. */
export interface Worker {
  /** The service under test. */
  serviceUrl: string;
  /** Its database, one per worker. */
  databaseUrl: string;
  /** The vendors it calls. */
  vendorUrl: string;
  /** A server where further databases may be made. */
  postgresUrl: string;
  /** A folder of the run, for what several test files use. */
  sharedFolder: string;
}

const VARIABLE = 'MCS_TEST_WORKERS';

/** Hands the workers to the jest processes, which inherit the environment. */
export function publishWorkers(workers: readonly Worker[]): void {
  process.env[VARIABLE] = JSON.stringify(workers);
}

/** The environment of this jest worker. */
export function worker(): Worker {
  const workers = JSON.parse(process.env[VARIABLE] ?? '[]') as Worker[];
  const mine = workers[(Number(process.env['JEST_WORKER_ID'] ?? '1') - 1) % workers.length];
  if (mine === undefined) throw new Error('The global setup has not run.');
  return mine;
}
