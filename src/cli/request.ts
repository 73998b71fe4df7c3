import type { CompareRequest } from '../client/client';
import { checksOf } from './checks';
import { UsageError } from './exit-codes';
import { fileText } from './files';
import type { System } from './system';

/** Options from which the body of a compare is made. */
export interface RequestOptions {
  file?: string;
  input?: string;
  models?: string[];
  temperature?: string;
  maxTokens?: string;
  maxCost?: string;
  samples?: string;
  check?: string[];
  checks?: string;
}

/** The body of a compare or an estimate; `-` reads standard input, once. @throws UsageError */
export async function requestOf(system: System, argument: string | undefined, options: RequestOptions): Promise<CompareRequest> {
  if ((argument === undefined) === (options.file === undefined)) throw new UsageError('Pass the prompt either as an argument or with --file.');
  if ([argument, options.file, options.input].filter((source) => source === '-').length > 1) throw new UsageError('Only one option can read standard input.');
  const models = [...new Set((options.models ?? []).flatMap((list) => list.split(',')).map((model) => model.trim()).filter((model) => model !== ''))];
  if (models.length === 0) throw new UsageError('Choose the models: --models sim-swift,sim-sage (mcs models lists them).');
  const [limits, checks] = [limitsOf(options), checksOf(system, options)];
  return {
    prompt: await textOf(system, argument, options.file),
    models,
    ...(options.input !== undefined && { input: await textOf(system, options.input, undefined) }),
    ...(Object.keys(limits).length > 0 && { options: limits }),
    ...(checks.length > 0 && { checks }),
  };
}

/** @throws UsageError */
function limitsOf(options: RequestOptions): NonNullable<CompareRequest['options']> {
  return {
    ...(options.temperature !== undefined && { temperature: numberOf('--temperature', options.temperature) }),
    ...(options.maxTokens !== undefined && { max_tokens: numberOf('--max-tokens', options.maxTokens) }),
    ...(options.maxCost !== undefined && { max_cost_usd: numberOf('--max-cost', options.maxCost) }),
    ...(options.samples !== undefined && { samples: numberOf('--samples', options.samples) }),
  };
}

/** @throws UsageError */
export function numberOf(option: string, text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new UsageError(`${option} must be a number that is not negative.`);
  return Number(text);
}

async function textOf(system: System, argument: string | undefined, file: string | undefined): Promise<string> {
  if (argument === '-' || file === '-') return withoutLastLineEnd(await system.readInput());
  return file === undefined ? argument ?? '' : withoutLastLineEnd(fileText(system, file));
}

/** Editors and `echo` add a line end that is not meant to be sent. */
function withoutLastLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
