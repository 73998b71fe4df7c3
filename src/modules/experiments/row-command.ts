import { fillChecks } from '../checks/fill-checks';
import type { Check } from '../checks/types';
import { ApiError } from '../../common/errors';
import type { Money } from '../../common/money';
import { charactersIn } from '../../common/postgres-text';
import { MAX_FILLED_PROMPT_CHARACTERS } from '../../platform/config/request-limits';
import type { CompareCommand } from '../execution/compare.types';
import { filledLength } from '../execution/prompt';
import type { RowTexts } from './experiment.types';

/** A name in braces. */
const NAME = /\{(\w{1,40})\}/g;

/** The names in braces of a prompt. */
export function namesIn(prompt: string): Set<string> {
  return new Set(Array.from(prompt.matchAll(NAME), ([, name = '']) => name));
}

/** The terms of one row. */
interface RowTerms {
  experimentId: string;
  /** The models of a further attempt; null for all. */
  models: string[] | null;
  /** The row is not run if it can cost more. */
  maxCost?: Money | undefined;
}

/**
 * The command of a row: the template with the row's texts filled in, in one pass. @throws ApiError invalid_request if
 * the filled prompt or the filled checks are too long, or the row cannot run
 */
export function rowCommand(
  template: CompareCommand,
  row: RowTexts,
  { experimentId, models, maxCost }: RowTerms,
): CompareCommand {
  const { input, expected, variables, refusal } = row;
  if (refusal !== undefined) throw new ApiError('invalid_request', { message: refusal });
  const given = { ...variables, input: input ?? undefined };
  const checks = fillChecks([...template.checks, ...ownChecks(template.checks, row.checks ?? [])], {
    ...given,
    expected: expected ?? undefined,
  });
  const common = { ...template, checks, experimentId, maxCost, models: models ?? template.models };
  const usesVariables = [...namesIn(template.prompt)].some(
    (name) => name !== 'input' && Object.hasOwn(variables ?? {}, name),
  );
  if (!usesVariables && input !== null) {
    refuseLongerThanAllowed(filledLength(template.prompt, input).characters);
    return { ...common, input };
  }
  return { ...common, prompt: filled(template.prompt, given), input: undefined };
}

/** A text with the texts of a row in place of their names in braces. @throws ApiError invalid_request if it is too long */
export function filledText(
  text: string,
  { input, expected, variables }: Pick<RowTexts, 'input' | 'expected' | 'variables'>,
): string {
  return filled(text, { ...variables, input: input ?? undefined, expected: expected ?? undefined });
}

/** A prompt that is too long is never built. */
function filled(prompt: string, given: Readonly<Record<string, string | undefined>>): string {
  const textOf = (whole: string, name: string) => (Object.hasOwn(given, name) ? given[name] : undefined) ?? whole;
  const added = new Map(
    [...namesIn(prompt)].map((name) => [name, charactersIn(textOf(`{${name}}`, name)) - name.length - 2]),
  );
  let characters = charactersIn(prompt);
  for (const [, name = ''] of prompt.matchAll(NAME)) characters += added.get(name) ?? 0;
  refuseLongerThanAllowed(characters);
  return prompt.replace(NAME, textOf);
}

function refuseLongerThanAllowed(characters: number): void {
  if (characters <= MAX_FILLED_PROMPT_CHARACTERS) return;
  throw new ApiError('invalid_request', {
    message: `With this row filled in, the prompt is ${characters} characters long; at most ${MAX_FILLED_PROMPT_CHARACTERS} are possible.`,
    param: 'prompt',
  });
}

/** The checks of a row, under names that the experiment's checks do not have. */
function ownChecks(common: readonly Check[], own: readonly Check[]): Check[] {
  const taken = new Set(common.map(({ name }) => name));
  return own.map((check) => (taken.has(check.name) ? { ...check, name: `row-${check.name}` } : check));
}
