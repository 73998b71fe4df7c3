import { running } from './running';

/** Stops what the setup started. */
async function tearDown(): Promise<void> {
  for (const thing of running.splice(0)) await thing.stop();
}

export = tearDown;
