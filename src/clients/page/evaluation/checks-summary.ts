import { factsOf, verdictsOf } from '../compare/evaluated';
import type { CheckType } from '../compare/form/check-drafts';
import { CHECK_FORMS, type CheckField } from './check-forms';

/** The verdicts of one check on all answers of one model. */
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

/** Adds up the verdicts of an eval, by check and model. */
export function checkRows(
  models: readonly string[],
  results: readonly { model: string }[],
  definitions: readonly unknown[],
): CheckRow[] {
  const verdicts = results.map((result) => ({ model: result.model, verdicts: verdictsOf(result) }));
  const names = [...new Set(verdicts.flatMap((each) => each.verdicts.map(({ name }) => name)))];
  return names.map((name) => ({
    name,
    words: describeCheck(definitions.find((definition) => factsOf(definition)['name'] === name)),
    cells: models.map((model) =>
      cellOf(
        verdicts.flatMap((each) =>
          each.model === model ? each.verdicts.filter((verdict) => verdict.name === name) : [],
        ),
      ),
    ),
  }));
}

/** A check in the words of its form, such as `contains words: “Paris”`; empty for an unknown check. */
export function describeCheck(definition: unknown): string {
  const { type, not, ...members } = factsOf(definition);
  if (typeof type !== 'string') return '';
  const form = Object.hasOwn(CHECK_FORMS, type) ? CHECK_FORMS[type as CheckType] : { title: type, fields: [] };
  const said = form.fields.flatMap((field) => memberText(field, members[field.name], form.title) ?? []);
  // A unit belongs to the number before it.
  const words = said.join(', ').replace(/, (?=(?:characters|words|tokens)$)/, ' ');
  return `${not === true ? 'not: ' : ''}${form.title}${words === '' ? '' : `: ${words}`}`;
}

/** A member in words; undefined where it says nothing, or what goes without saying. */
function memberText(field: CheckField, value: unknown, title: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  // A default value has a label only if the label is its name, such as a unit.
  if (field.kind === 'choice') return field.options?.find((each) => each.some((name) => name === value))?.[1];
  const words = `${field.label.charAt(0).toLowerCase()}${field.label.slice(1)}`;
  if (field.kind === 'flag') return flagText(words, value, field.isOn === true);
  return field.kind === 'area' || title.endsWith(words) ? shortJson(value) : `${words} ${shortJson(value)}`;
}

function flagText(words: string, value: unknown, isOn: boolean): string | undefined {
  return value === isOn ? undefined : `${words}${isOn ? ': no' : ''}`;
}

function cellOf(verdicts: readonly { outcome: string }[]): CheckCell {
  const count = (outcome: string): number => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const [passed, errors] = [count('pass'), count('error')];
  return { passed, errors, decided: passed + count('fail') };
}

function shortJson(value: unknown): string {
  const text =
    typeof value === 'string'
      ? `“${value}”`
      : isTexts(value)
        ? value.map((each) => `“${each}”`).join(', ')
        : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
