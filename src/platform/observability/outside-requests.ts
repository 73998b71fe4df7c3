import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Does something that belongs to no request, though one asks for it: timers and connections that outlive the request,
 * whose lines in the log would otherwise name its trace.
 */
export const outsideRequests = AsyncLocalStorage.snapshot();
