import type { Turn } from '../client/client';
import { UsageError } from './exit-codes';
import { jsonOf } from './files';

/**
 * The turns in a JSON text: a list, or the member `messages` or `history` of an object. The service judges each turn.
 * @param path the file of the text, or `-`
 * @throws UsageError
 */
export function turnsOf(text: string, path: string): Turn[] {
  const source = path === '-' ? 'Standard input' : path;
  const value = jsonOf(text, source) as { messages?: unknown; history?: unknown } | null;
  const turns = Array.isArray(value) ? value : (value?.messages ?? value?.history);
  if (!Array.isArray(turns))
    throw new UsageError(`${source} must contain a list of turns, or an object with messages or history.`);
  const role = (turns[0] as { role?: unknown } | null | undefined)?.role;
  if (role === 'system' || role === 'developer')
    throw new UsageError(`${source} begins with a ${role} message. Pass its text with --system, and leave it out.`);
  return turns as Turn[];
}
