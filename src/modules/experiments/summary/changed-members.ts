import type { CompareCommand } from '../../execution/compare.types';

/** The members of the request in which two experiments differ, as POST /experiments names them. */
export function changedMembers(before: CompareCommand, after: CompareCommand): string[] {
  const [earlier, later] = [membersOf(before), membersOf(after)];
  return Object.keys({ ...earlier, ...later }).filter(
    (name) => JSON.stringify(earlier[name]) !== JSON.stringify(later[name]),
  );
}

function membersOf({
  prompt,
  models,
  samples,
  checks,
  options: { temperature, maxTokens, extra },
}: CompareCommand): Record<string, unknown> {
  const options = { samples, temperature, max_tokens: maxTokens, ...extra };
  return {
    prompt,
    models,
    checks,
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [`options.${name}`, value])),
  };
}
