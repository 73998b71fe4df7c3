import { factsOf, verdictsOf } from '../compare/evaluated';

/** What one check says about all answers of one model. */
export interface CheckCell {
  passed: number;
  /** Answers about which it could decide. */
  decided: number;
  errors: number;
}

/** One check with what it says, model by model. */
export interface CheckRow {
  name: string;
  words: string;
  cells: readonly CheckCell[];
}

const MAX_CHARACTERS = 60;
const UNSAID: readonly string[] = ['name', 'weight'];

/** Adds up the verdicts of an eval, by check and model. */
export function checkRows(models: readonly string[], results: readonly { model: string }[], definitions: readonly unknown[]): CheckRow[] {
  const verdicts = results.map((result) => ({ model: result.model, verdicts: verdictsOf(result) }));
  const names = [...new Set(verdicts.flatMap((each) => each.verdicts.map(({ name }) => name)))];
  return names.map((name) => ({
    name,
    words: describeCheck(definitions.find((definition) => factsOf(definition)['name'] === name)),
    cells: models.map((model) => cellOf(verdicts.flatMap((each) => (each.model === model ? each.verdicts.filter((verdict) => verdict.name === name) : [])))),
  }));
}

/** A check in words, such as `contains "Paris"`; empty for one that is not known. */
export function describeCheck(definition: unknown): string {
  const { type, not, ...members } = factsOf(definition);
  if (typeof type !== 'string') return '';
  const said = Object.entries(members).filter(([name, value]) => !UNSAID.includes(name) && value !== null && value !== undefined && value !== false);
  return `${not === true ? 'not ' : ''}${type}${said.length === 0 ? '' : ` ${said.map(([member, value]) => `${member}: ${shortJson(value)}`).join(', ')}`}`;
}

function cellOf(verdicts: readonly { outcome: string }[]): CheckCell {
  const count = (outcome: string): number => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const [passed, errors] = [count('pass'), count('error')];
  return { passed, errors, decided: passed + count('fail') };
}

function shortJson(value: unknown): string {
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
}
