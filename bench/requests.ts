import type { Past } from './ground';
import type { LoadRequest } from './load';
import { MODELS } from './settings';

const VARIETY = 64;

/** Options of compares. */
export interface CompareShape {
  models?: readonly string[];
  /** For the vendors; see vendor.ts. */
  directives?: string;
  isStreamed?: boolean;
  maxTokens?: number;
}

/** The reads by name, and the least share of the yardstick's requests/s. */
export const READS: Record<string, { least: number; pathOf: (past: Past, index: number) => string }> = {
  'GET evals (20)': { least: 0.7, pathOf: () => '/api/v1/evals' },
  'GET eval by id': {
    least: 0.5,
    pathOf: ({ evalIds }, index) => `/api/v1/evals/${evalIds[(index * 13) % evalIds.length]}`,
  },
  'GET models': { least: 0.42, pathOf: () => '/api/v1/models' },
  'GET usage': { least: 0.42, pathOf: () => '/api/v1/usage' },
};

/** Compares with each of the keys in turn. */
export function compares(
  { keys }: Pick<Past, 'keys'>,
  { models = MODELS, directives = '', isStreamed = false, maxTokens = 500 }: CompareShape = {},
): LoadRequest[] {
  return Array.from({ length: Math.max(VARIETY, keys.length) }, (_, index) => ({
    method: 'POST',
    path: '/api/v1/compare',
    headers: {
      authorization: `Bearer ${keys[index % keys.length]}`,
      'content-type': 'application/json',
      ...(isStreamed && { accept: 'text/event-stream' }),
    },
    body: JSON.stringify({
      prompt: `Say {input} in French, please, and say why. Number ${index}. ${directives}`,
      input: 'good morning',
      models,
      options: { temperature: 0.7, max_tokens: maxTokens },
    }),
  }));
}

export function reads(key: string | undefined, pathOf: (index: number) => string, variety = VARIETY): LoadRequest[] {
  return Array.from({ length: variety }, (_, index) => ({
    method: 'GET',
    path: pathOf(index),
    headers: { authorization: `Bearer ${key}` },
  }));
}

/** Requests of all kinds in turn; one of five is a compare. */
export function mixedRequests(past: Past): LoadRequest[] {
  const lists = [
    compares(past),
    ...Object.values(READS).map(({ pathOf }) => reads(past.keys[0], (index) => pathOf(past, index))),
  ];
  return Array.from({ length: VARIETY }, (_, index) => lists.flatMap((requests) => requests[index] ?? [])).flat();
}
