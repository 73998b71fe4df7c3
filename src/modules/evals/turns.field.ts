import { charactersIn } from '../../common/postgres-text';
import { MAX_TURNS, TURN_ROLES, type Turn } from '../../common/turn';
import { MAX_FILLED_PROMPT_CHARACTERS } from '../../platform/config/request-limits';
import { Choice, member, Schema } from '../../platform/http/answer.decorators';
import {
  choice,
  formatNumber,
  listOf,
  object,
  problemWith,
  text,
  type FieldKind,
} from '../../platform/http/validation/field-kinds';

@Schema('A turn of a conversation.')
export class TurnDto implements Turn {
  @Choice(TURN_ROLES, 'Who wrote it.', { enumName: 'TurnRole' })
  role!: Turn['role'];

  @member({ type: 'string', minLength: 1, maxLength: MAX_FILLED_PROMPT_CHARACTERS }, 'The text.')
  content!: string;
}

const MEMBERS: Readonly<Record<string, FieldKind>> = {
  role: choice(TURN_ROLES),
  content: text(MAX_FILLED_PROMPT_CHARACTERS),
};

const TURN: FieldKind = { ...object(), problemOf: turnProblem };
const LIST = listOf(TURN, { of: 'turns', min: 1, max: MAX_TURNS });

/** The turns of a conversation before the prompt; all together at most as long as a filled prompt. */
export const TURNS: FieldKind = {
  ...LIST,
  schema: { type: [TurnDto], minItems: 1, maxItems: MAX_TURNS },
  problemOf: (turns: Turn[]) => LIST.problemOf?.(turns as never) ?? lengthProblem(turns),
};

function turnProblem(turn: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(turn).find((name) => !Object.hasOwn(MEMBERS, name));
  if (unknown !== undefined) return ' must have the members role and content only';
  for (const [name, kind] of Object.entries(MEMBERS)) {
    if (turn[name] === undefined) return `.${name} is required`;
    const problem = problemWith(turn[name], kind);
    if (problem !== undefined) return `.${name}${problem}`;
  }
  return undefined;
}

function lengthProblem(turns: readonly Turn[]): string | undefined {
  return turns.reduce((sum, { content }) => sum + charactersIn(content), 0) > MAX_FILLED_PROMPT_CHARACTERS
    ? ` must not be longer than ${formatNumber(MAX_FILLED_PROMPT_CHARACTERS)} characters, all turns together`
    : undefined;
}
