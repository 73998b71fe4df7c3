import type { CompareRequest, ReasoningEffort } from '../client/client';
import { checksOf } from './checks';
import { UsageError } from './exit-codes';
import { fileText, jsonOf } from './files';
import { partsOf } from './lists';
import { defaultModels } from './settings';
import type { System } from './system';
import { turnsOf } from './turns';

const HINT_MS = 2000;

/** Options from which the body of a compare is made. */
export interface RequestOptions {
  file?: string;
  input?: string;
  models?: string[];
  temperature?: string;
  maxTokens?: string;
  maxCost?: string;
  samples?: string;
  system?: string;
  /** A file with earlier turns. */
  history?: string;
  effort?: string;
  reasoningTokens?: string;
  /** A file with a JSON Schema. */
  schema?: string;
  exactModel?: boolean;
  /** False with `--no-store`. */
  store?: boolean;
  check?: string[];
  checks?: string;
}

/** The body of a compare or an estimate; `-` reads standard input, once. @throws UsageError */
export async function requestOf(
  system: System,
  argument: string | undefined,
  options: RequestOptions,
): Promise<CompareRequest> {
  if (argument !== undefined && options.file !== undefined)
    throw new UsageError('Pass the prompt either as an argument or with --file.');
  const { file, input, system: message, history } = options;
  if ([argument, file, input, message, history].filter((source) => source === '-').length > 1)
    throw new UsageError('Only one option can read standard input.');
  const models = modelsOf(options.models ?? defaultModels(system));
  const [given, checks] = [await requestOptionsOf(system, options), checksOf(system, options)];
  return {
    prompt: await promptOf(system, argument, options),
    models,
    ...(options.input !== undefined && { input: await textArgument(system, options.input, undefined) }),
    ...(Object.keys(given).length > 0 && { options: given }),
    ...(checks.length > 0 && { checks }),
  };
}

/** How models are asked. @throws UsageError */
export async function requestOptionsOf(
  system: System,
  options: RequestOptions,
): Promise<NonNullable<CompareRequest['options']>> {
  return { ...limitsOf(options), ...(await conditionsOf(system, options)) };
}

/** Each of them once. @throws UsageError when there is none */
export function modelsOf(lists: readonly string[]): string[] {
  const models = [...new Set(lists.flatMap(partsOf))];
  if (models.length === 0)
    throw new UsageError(
      'Choose the models: --models sim-swift,sim-sage (mcs models lists them, mcs models default stores a choice).',
    );
  return models;
}

/**
 * A pipe is read unasked only where the prompt would be missing otherwise: an idle pipe, as of a CI job, must not stop
 * a complete command. @throws UsageError
 */
async function promptOf(
  system: System,
  argument: string | undefined,
  { file, input, system: message, history }: RequestOptions,
): Promise<string> {
  if (argument !== undefined || file !== undefined) return await textArgument(system, argument, file);
  const isRead = [input, message, history].includes('-');
  const prompt = system.isInputTerminal || isRead ? '' : await inputOf(system);
  if (prompt.trim() === '') throw new UsageError('Pass the prompt as an argument, with --file, or through a pipe.');
  return prompt;
}

/** @throws UsageError */
function limitsOf(options: RequestOptions): NonNullable<CompareRequest['options']> {
  return {
    ...(options.temperature !== undefined && { temperature: numberOf('--temperature', options.temperature) }),
    ...(options.maxTokens !== undefined && { max_tokens: numberOf('--max-tokens', options.maxTokens) }),
    ...(options.maxCost !== undefined && { max_cost_usd: numberOf('--max-cost', options.maxCost) }),
    ...(options.samples !== undefined && { samples: numberOf('--samples', options.samples) }),
    ...(options.reasoningTokens !== undefined && {
      reasoning_tokens: numberOf('--reasoning-tokens', options.reasoningTokens),
    }),
  };
}

/** Options that are not numbers. The service knows the efforts. @throws UsageError */
async function conditionsOf(system: System, options: RequestOptions): Promise<CompareRequest['options']> {
  return {
    ...(options.system !== undefined && { system: await textArgument(system, options.system, undefined) }),
    ...(options.history !== undefined && {
      history: turnsOf(await textArgument(system, undefined, options.history), options.history),
    }),
    ...(options.effort !== undefined && { reasoning_effort: options.effort as ReasoningEffort }),
    ...(options.schema !== undefined && {
      response_format: {
        type: 'json_schema',
        schema: jsonOf(fileText(system, options.schema), options.schema) as Record<string, unknown>,
      },
    }),
    ...(options.exactModel === true && { exact_model: true }),
    ...(options.store === false && { store: false }),
  };
}

/** @throws UsageError */
export function numberOf(option: string, text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new UsageError(`${option} must be a number that is not negative.`);
  return Number(text);
}

/** A text, or the content of a file; `-` reads standard input. @throws UsageError */
export async function textArgument(
  system: System,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (argument === '-' || file === '-') return await inputOf(system);
  return file === undefined ? (argument ?? '') : withoutLastLineEnd(fileText(system, file));
}

/**
 * Standard input to its end; a line says so after a while, because a terminal shows nothing else. @throws UsageError
 */
async function inputOf(system: System): Promise<string> {
  const hint = setTimeout(() => system.errors.write('mcs is reading standard input.\n'), HINT_MS);
  try {
    return withoutLastLineEnd(await system.readInput());
  } catch (error) {
    throw new UsageError(
      `Standard input cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`,
    );
  } finally {
    clearTimeout(hint);
  }
}

/** Editors and `echo` add a line end that is not meant to be sent. */
function withoutLastLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
