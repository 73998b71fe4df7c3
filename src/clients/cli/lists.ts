import { atMost } from '../client/evals-export';

const PAGE_SIZE = 100;

/** The parts of a text that is separated by commas. */
export function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The first elements of a list, which is asked for in pages of that limit. */
export async function firstOf<T>(wanted: number, list: (query: { limit: number }) => AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  if (wanted > 0) for await (const item of atMost(wanted, list({ limit: pageSize(wanted) }))) items.push(item);
  return items;
}

/** The size of the pages of a list of that many. */
export function pageSize(wanted: number): number {
  return Math.max(1, Math.min(wanted, PAGE_SIZE));
}
