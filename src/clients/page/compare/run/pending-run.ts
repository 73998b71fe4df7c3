import type { CompareRequest } from '../../../client/client';
import { readObject, tabStore, writeText } from '../../storage';

/** The latest run of this tab, so that a reload finds it again. */
export interface PendingRun {
  idempotencyKey: string;
  request: CompareRequest;
  /** Known from the first event on. */
  evalId: string | undefined;
  /** True if the eval is stored, so that it can be loaded. */
  isStored: boolean;
  /** When it was sent, in milliseconds since 1970 by the clock of this machine. */
  sentAt: number;
}

const NAME = 'mcs.run';

/** Keeps the latest run until the tab is closed; undefined forgets it. */
export function storePendingRun(run: PendingRun | undefined): void {
  writeText(tabStore, NAME, run === undefined ? undefined : JSON.stringify(run));
}

/** The latest run before the reload; undefined where there is none, or something else. */
export function readPendingRun(): PendingRun | undefined {
  return parsePendingRun(readObject(tabStore, NAME));
}

/** Reads a stored run; undefined for any other content. */
export function parsePendingRun(stored: Readonly<Record<string, unknown>> = {}): PendingRun | undefined {
  const { idempotencyKey, request, evalId, isStored, sentAt } = stored;
  if (typeof idempotencyKey !== 'string' || typeof sentAt !== 'number' || !isRequest(request)) return undefined;
  return {
    idempotencyKey,
    request,
    evalId: typeof evalId === 'string' ? evalId : undefined,
    isStored: isStored === true,
    sentAt,
  };
}

function isRequest(value: unknown): value is CompareRequest {
  if (typeof value !== 'object' || value === null) return false;
  const { prompt, models } = value as Record<string, unknown>;
  return (
    typeof prompt === 'string' &&
    Array.isArray(models) &&
    models.length > 0 &&
    models.every((model) => typeof model === 'string')
  );
}
