import type { Effort } from '../../common/effort';
import type { ResponseFormat } from '../../common/response-format';
import type { Turn } from '../../common/turn';

/**
 * Options that few compares set, in the words of POST /compare; each is absent unless the caller set it. An eval keeps
 * them in one column.
 */
export interface ExtraOptions {
  system?: string;
  history?: Turn[];
  reasoning_effort?: Effort;
  reasoning_tokens?: number;
  response_format?: ResponseFormat;
  exact_model?: boolean;
}

const NAMES = ['system', 'history', 'reasoning_effort', 'reasoning_tokens', 'response_format', 'exact_model'] as const;

/** Those of a request that are given; undefined if there are none. */
export function extraOptionsOf(options: { [Name in keyof ExtraOptions]?: ExtraOptions[Name] | undefined }):
  ExtraOptions | undefined {
  const given = NAMES.filter((name) => options[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, options[name]]));
}
