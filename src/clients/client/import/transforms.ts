import { fail } from './notes';
import { hasTemplate } from './templates';

/** A check before its members are known to be right. */
export type LooseCheck = { type: string } & Record<string, unknown>;

/** Checks that look at no text. */
export const BLIND: readonly string[] = ['latency', 'cost', 'finished'];
const METHODS = /^output(?:\.(?:trim|toLowerCase)\(\))+;?$/;
const PATH = /^JSON\.parse\(output\)((?:\??\.[A-Za-z_]\w*)+);?$/;

/** True if there are checks that make these transforms: methods of texts, or one path into JSON. */
export function areKnown(transforms: readonly unknown[]): boolean {
  const texts = transforms.map((each) => String(each).trim());
  return texts.every((each) => METHODS.test(each)) || (texts.length === 1 && PATH.test(String(texts)));
}

/** The check that decides on an answer as the given one on the transformed answer. @throws Unconverted */
export function transformed(check: LooseCheck, transforms: readonly unknown[], value: unknown): LooseCheck {
  if (transforms.length === 0 || BLIND.includes(check.type)) return check;
  if (!areKnown(transforms)) fail('has a transform without a counterpart; the check is left out with it');
  const code = transforms.join().trim();
  const [, path] = PATH.exec(code) ?? [];
  const hasVariable = hasTemplate(JSON.stringify(value));
  return path === undefined
    ? ofTexts(check, code.includes('toLowerCase'), code.includes('trim'), hasVariable)
    : atPath(check, path.split(/\??\./).slice(1), hasVariable);
}

function ofTexts(check: LooseCheck, isLower: boolean, isTrimmed: boolean, hasVariable: boolean): LooseCheck {
  if (check.type === 'length' || (check.type === 'json' && !isLower)) return check;
  const texts =
    check.type === 'equals'
      ? [check['value']]
      : check.type === 'contains'
        ? (check['values'] as unknown[])
        : fail('has a transform that its check cannot make');
  const isForm = (each: string) =>
    each === (isLower ? each.toLowerCase() : each) && each === (isTrimmed ? each.trim() : each);
  if (hasVariable || !texts.map(String).every(isForm))
    fail('has a variable, capitals or white space around its text, and a transform of the answer');
  return { ...check, ...(isLower && { ignore_case: true }), ...(check.type === 'equals' && { trim: isTrimmed }) };
}

/**
 * promptfoo compares a number or a flag at the path as its text. An answer that is no JSON fails there, also with not-.
 */
function atPath({ type, value, not }: LooseCheck, path: readonly string[], hasVariable: boolean): LooseCheck {
  if (type !== 'equals' || not === true || hasVariable)
    fail('has a path into JSON, which is converted for equals of a fixed text only');
  const text = String(value);
  const isLiteral = /^(?:true|false|-?[1-9]\d{0,14}|0)$/.test(text);
  const leaf: object = { enum: [text, ...(isLiteral ? [JSON.parse(text) as unknown] : [])] };
  return {
    type: 'json',
    schema: path.reduceRight(
      (inner, name) => ({ type: 'object', required: [name], properties: { [name]: inner } }),
      leaf,
    ),
    allow_fence: false,
  };
}
