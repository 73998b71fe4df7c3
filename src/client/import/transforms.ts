import { fail } from './notes';
import { hasTemplate } from './templates';

/** A step of a transform: a method of texts, or the names of a path into the answer as JSON. */
type Step = 'trim' | 'lower' | readonly string[];
type Loose = { type: string } & Record<string, unknown>;

/** Checks that look at no text. */
const BLIND = ['latency', 'cost', 'finished'];
const METHODS = /^output((?:\.(?:trim|toLowerCase)\(\))+);?$/;
const PATH = /^JSON\.parse\(output\)((?:\??\.[A-Za-z_]\w*)+);?$/;

/** The steps of a transform; undefined if it has no counterpart. */
export function stepsOf(transform: unknown): readonly Step[] | undefined {
  const text = String(transform).trim();
  const [, methods, path] = METHODS.exec(text) ?? [undefined, undefined, PATH.exec(text)?.[1]];
  if (methods !== undefined) return methods.split('()').slice(0, -1).map((each) => (each === '.trim' ? 'trim' : 'lower'));
  return path === undefined ? undefined : [path.split(/\??\./).slice(1)];
}

/** True if each of the transforms has a counterpart. */
export function haveSteps(transforms: readonly unknown[]): boolean {
  return transforms.every((each) => stepsOf(each) !== undefined);
}

/** True if the check decides the same whatever the text is. */
export function isBlind({ type }: { type: string }): boolean {
  return BLIND.includes(type);
}

/** The check that decides on an answer as the given one on the transformed answer. @throws Unconverted */
export function transformed(check: Loose, steps: readonly Step[], value: unknown, isNegated: boolean): Loose {
  if (steps.length === 0) return check;
  const [first] = steps;
  if (typeof first === 'object') {
    // An answer that is no JSON fails in promptfoo, also with not-.
    const isExact = check.type === 'equals' && steps.length === 1 && !isNegated && !hasTemplate(String(value));
    return isExact ? atPath(String(value), first) : fail('has a path into JSON, which is converted for equals of a fixed text only');
  }
  const isLower = steps.includes('lower');
  if (check.type === 'length' || (check.type === 'json' && !isLower)) return check;
  return ofTexts(check, isLower, steps.includes('trim'), hasTemplate(JSON.stringify(value)));
}

function ofTexts(check: Loose, isLower: boolean, isTrimmed: boolean, hasVariable: boolean): Loose {
  const isEqual = check.type === 'equals';
  if (!isEqual && check.type !== 'contains') fail('has a transform that its check cannot make');
  const texts = (isEqual ? [check['value']] : check['values'] as unknown[]).map(String);
  const isForm = (each: string) => each === (isLower ? each.toLowerCase() : each) && each === (isTrimmed ? each.trim() : each);
  if (hasVariable || !texts.every(isForm)) fail('has a variable, capitals or white space around its text, and a transform of the answer');
  return { ...check, ...(isLower && { ignore_case: true }), ...(isEqual && { trim: isTrimmed }) };
}

/** promptfoo compares a number or a flag at the path as its text. */
function atPath(text: string, path: readonly string[]): Loose {
  const isLiteral = /^(?:true|false|-?[1-9]\d{0,14}|0)$/.test(text);
  const leaf: object = { enum: [text, ...(isLiteral ? [JSON.parse(text) as unknown] : [])] };
  return { type: 'json', schema: path.reduceRight((inner, name) => ({ type: 'object', required: [name], properties: { [name]: inner } }), leaf), allow_fence: false };
}
