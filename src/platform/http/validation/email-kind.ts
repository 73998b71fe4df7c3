import { isEmail } from 'class-validator';
import { text, withProblem, type FieldKind } from './field-kinds';

const MAX_CHARACTERS = 254;

/** An e-mail address. Apart from the other kinds, because threads use those and need no class-validator. */
export function email(): FieldKind {
  const kind = withProblem(text(MAX_CHARACTERS, { canBeBlank: true }), (value: string) =>
    isEmail(value) ? undefined : ' must be an e-mail address such as dev@example.com',
  );
  return { ...kind, schema: { type: 'string', format: 'email', maxLength: MAX_CHARACTERS } };
}
