/**
 * The things that the teardown stops, last started first. Kept on the process, because jest loads setup and teardown
 * apart.
 */
export const running: { stop: () => unknown }[] = ((
  globalThis as { mcsRunning?: { stop: () => unknown }[] }
).mcsRunning ??= []);
