import fc, { type Arbitrary } from 'fast-check';
import { rawRequest, requestText } from '../support/raw';
import type { ApiDocument } from './document';
import { judge } from './judge';
import { plainRequests, requests, type FuzzRequest, type Known } from './requests';

/** The result of a run. */
export interface FuzzReport {
  seed: number;
  runs: number;
  /** Answers by route and status. */
  counts: Map<string, Map<number, number>>;
  /** The smallest request whose response violates the document, the violation, and the report of fast-check. */
  failure: { request: string; problem: string; report: string } | undefined;
}

/**
 * Sends a plain request to each operation, then generated ones, one by one, and checks every response against the API
 * document; stops at the first violation and shrinks its request.
 */
export async function fuzz(
  url: string,
  document: ApiDocument,
  known: Known,
  { runs, seed }: { runs: number; seed: number },
): Promise<FuzzReport> {
  return fuzzWith(url, document, requests(document, known), { runs, seed, examples: plainRequests(document, known) });
}

/** Sends the examples and then generated requests, as `fuzz` does. */
export async function fuzzWith(
  url: string,
  document: ApiDocument,
  generated: Arbitrary<FuzzRequest>,
  { runs, seed, examples = [] }: { runs: number; seed: number; examples?: readonly FuzzRequest[] },
): Promise<FuzzReport> {
  const counts: FuzzReport['counts'] = new Map();
  let last: FuzzReport['failure'];
  const property = fc.asyncProperty(generated, async (request) => {
    const bytes = bytesOf(request);
    const answer = await rawRequest(url, bytes);
    const { route, problem } = judge(request, answer, document);
    const ofRoute = counts.get(route) ?? new Map<number, number>();
    counts.set(route, ofRoute.set(answer?.status ?? 0, (ofRoute.get(answer?.status ?? 0) ?? 0) + 1));
    // While fast-check shrinks a failing request, the last failing request is the smallest.
    if (problem !== undefined) last = { request: bytes.toString().slice(0, 2000), problem, report: '' };
    return problem === undefined;
  });
  const details = await fc.check(property, { numRuns: runs, seed, examples: examples.map((request) => [request]) });
  return {
    seed,
    runs: details.numRuns,
    counts,
    failure:
      details.failed && last !== undefined ? { ...last, report: fc.defaultReportMessage(details) ?? '' } : undefined,
  };
}

/** A table of the answers by route and status. */
export function table({ counts, seed, runs }: FuzzReport): string {
  const rows = [...counts]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(
      ([route, statuses]) =>
        `  ${route.padEnd(48)} ${[...statuses]
          .sort(([left], [right]) => left - right)
          .map(([status, count]) => `${status || 'none'} × ${count}`)
          .join(', ')}`,
    );
  return [`fuzz: ${runs} requests, seed ${seed}`, ...rows].join('\n');
}

function bytesOf({ method, target, headers, body }: FuzzRequest): Buffer {
  // Header values are single bytes; the body is UTF-8.
  const text = requestText(method, target, headers, body);
  const head = text.slice(0, text.length - (body?.length ?? 0));
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}
