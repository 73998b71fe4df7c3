import { fail } from './notes';
import { hasTemplate } from './templates';

/** What a transform does: a method of texts, or the names of a path into the answer as JSON. */
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

/** True if the check decides the same whatever the text is. */
export function isBlind({ type }: { type: string }): boolean {
  return BLIND.includes(type);
}

/** The check that decides on an answer as the given one on the transformed answer. @throws Unconverted */
export function transformed(check: Loose, steps: readonly Step[], value: unknown, isNegated: boolean): Loose {
  if (isBlind(check) || steps.length === 0) return check;
  const text = JSON.stringify(value ?? '');
  // An answer that is no JSON fails in promptfoo, also with not-.
  const [path] = steps.filter((step) => typeof step === 'object');
  if (path !== undefined) return steps.length > 1 || isNegated || check.type !== 'equals' || hasTemplate(text) ? fail('has a path into JSON, which is converted for equals of a fixed text only') : atPath(String(value), path);
  const isLower = steps.includes('lower');
  if (check.type === 'length' || (check.type === 'json' && !isLower)) return check;
  if (!['equals', 'contains'].includes(check.type)) return fail('has a transform that its check cannot make');
  const texts = check.type === 'equals' ? [check['value']] : check['values'] as unknown[];
  if (hasTemplate(text) || texts.some((each) => String(each) !== (isLower ? String(each).toLowerCase() : String(each)) || (steps.includes('trim') && String(each) !== String(each).trim()))) fail('has a text that is in capitals, has white space around it or has a variable, and a transform of the answer');
  return { ...check, ...(isLower && { ignore_case: true }), ...(check.type === 'equals' && { trim: steps.includes('trim') }) };
}

/** promptfoo compares a number or a flag at the path as its text. */
function atPath(text: string, path: readonly string[]): Loose {
  const leaf: object = { enum: [text, ...(/^(?:true|false|null|-?\d+)$/.test(text) && JSON.stringify(JSON.parse(text)) === text ? [JSON.parse(text) as unknown] : [])] };
  const schema = path.reduceRight((inner, name) => ({ type: 'object', required: [name], properties: { [name]: inner } }), leaf);
  return { type: 'json', schema, allow_fence: false };
}
