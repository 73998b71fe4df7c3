const NAMES = new Map<string, string>([
  ['begin', 'begin'],
  ['commit', 'commit'],
  ['rollback', 'rollback'],
]);

/** A statement under its name in the metrics; several texts may share one. */
export function named(name: string, text: string): string {
  NAMES.set(text, name);
  return text;
}

/** The name of a text in the metrics; `other` for unnamed texts. */
export function statementName(text: string): string {
  return NAMES.get(text) ?? 'other';
}
