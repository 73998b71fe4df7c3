import { fillChecks } from '../checks/fill-checks';
import type { Check } from '../checks/types';
import { ApiError } from '../../common/errors';
import type { Money } from '../../common/money';
import { charactersIn } from '../../common/postgres-text';
import { withInput } from '../../common/fill-texts';
import { MAX_TURNS, type Turn } from '../../common/turn';
import { MAX_FILLED_PROMPT_CHARACTERS } from '../../platform/config/request-limits';
import type { CompareCommand } from '../execution/compare.types';
import { filledLength } from '../execution/prompt';
import type { RowTexts } from './experiment.types';

/** A row without any text. */
export const NO_ROW_TEXTS: RowTexts = {
  rowId: '',
  input: null,
  expected: null,
  group: null,
  variables: null,
  history: null,
  checks: null,
};

/** Texts by the names that they replace. */
type Given = Readonly<Record<string, string | undefined>>;

/** A name in braces. */
const NAME = /\{(\w{1,40})\}/g;

/** The names in braces of texts. */
export function namesIn(...texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(NAME), ([, name = '']) => name)));
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
 * The command of a row: the template with the row's texts filled in, in one pass, and with the row's own turns last.
 * @throws ApiError invalid_request if the filled prompt, turns or checks are too long, or the row cannot run
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
  return {
    ...template,
    checks,
    experimentId,
    maxCost,
    models: models ?? template.models,
    ...textsOf(template, row, given),
  };
}

/** The turns of a command before they are filled in. */
export function turnsOf({ options }: Pick<CompareCommand, 'options'>): readonly Turn[] {
  return options.extra?.history ?? [];
}

/** Prompt and input stay apart where a compare can fill them in: not with variables, nor with turns of the row. */
function textsOf(
  template: CompareCommand,
  { input, variables, history: own }: RowTexts,
  given: Given,
): Pick<CompareCommand, 'prompt' | 'input' | 'options'> {
  const { prompt, options } = template;
  const turns = turnsOf(template);
  const names = namesIn(prompt, ...turns.map(({ content }) => content));
  const usesVariables = [...names].some((name) => name !== 'input' && Object.hasOwn(variables ?? {}, name));
  const isAppended = input !== null && !usesVariables && !names.has('input');
  // Also where a compare fills them in: a row whose turns are too long is refused here.
  const history = historyOf(turns, own ?? [], given);
  if (!usesVariables && input !== null && own === null) {
    refuseLongerThanAllowed(filledLength(prompt, input, !isAppended).characters);
    return { prompt, input, options };
  }
  return {
    prompt: filled(isAppended ? withInput(prompt) : prompt, given),
    input: undefined,
    options: history.length === 0 ? options : { ...options, extra: { ...options.extra, history } },
  };
}

/** The turns of the template, filled in one by one until they are too long, and those of the row. */
function historyOf(turns: readonly Turn[], own: readonly Turn[], given: Given): Turn[] {
  if (turns.length + own.length > MAX_TURNS)
    throw new ApiError('invalid_request', {
      message: `With this row, there are ${turns.length + own.length} turns; at most ${MAX_TURNS} are possible.`,
      param: 'options.history',
    });
  let characters = own.reduce((sum, { content }) => sum + charactersIn(content), 0);
  const history = turns.map((turn) => {
    const content = filled(turn.content, given, 'turns are');
    characters += charactersIn(content);
    refuseLongerThanAllowed(characters, 'turns are');
    return { ...turn, content };
  });
  return [...history, ...own];
}

/** A text with the texts of a row in place of their names in braces. @throws ApiError invalid_request if it is too long */
export function filledText(
  text: string,
  { input, expected, variables }: Pick<RowTexts, 'input' | 'expected' | 'variables'>,
): string {
  return filled(text, { ...variables, input: input ?? undefined, expected: expected ?? undefined });
}

/** A prompt that is too long is never built. */
function filled(prompt: string, given: Given, what?: 'turns are'): string {
  const textOf = (whole: string, name: string) => (Object.hasOwn(given, name) ? given[name] : undefined) ?? whole;
  const added = new Map(
    [...namesIn(prompt)].map((name) => [name, charactersIn(textOf(`{${name}}`, name)) - name.length - 2]),
  );
  let characters = charactersIn(prompt);
  for (const [, name = ''] of prompt.matchAll(NAME)) characters += added.get(name) ?? 0;
  refuseLongerThanAllowed(characters, what);
  return prompt.replace(NAME, textOf);
}

function refuseLongerThanAllowed(characters: number, what: 'prompt is' | 'turns are' = 'prompt is'): void {
  if (characters <= MAX_FILLED_PROMPT_CHARACTERS) return;
  throw new ApiError('invalid_request', {
    message: `With this row filled in, the ${what} ${characters} characters long; at most ${MAX_FILLED_PROMPT_CHARACTERS} are possible.`,
    param: what === 'prompt is' ? 'prompt' : 'options.history',
  });
}

/** The checks of a row, under names that the experiment's checks do not have. */
function ownChecks(common: readonly Check[], own: readonly Check[]): Check[] {
  const taken = new Set(common.map(({ name }) => name));
  return own.map((check) => (taken.has(check.name) ? { ...check, name: `row-${check.name}` } : check));
}
