import { batch, computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { chooseModels, chosenModels, idsOf, models, modelsState } from '../models/model-list';
import { draft, setDraft } from './draft';
import { EMPTY_FORM, type FieldName, type FieldProblem, type FormContent } from './form-content';
import { readFragment } from './fragment';

/** The content of the form. */
export const formContent = computed<FormContent>(() => ({ ...EMPTY_FORM, ...draft.value, models: chosenModels.value }));
/** Options that change what is said of the models. */
export const temperature = computed(() => draft.value.temperature);
export const maxTokens = computed(() => draft.value.maxTokens);
export const effort = computed(() => draft.value.effort);
/** Calls of each model, which changes what is said of the price. */
export const samples = computed(() => draft.value.samples);
/** The problems of the form's fields. */
export const fieldProblems = signal<Partial<Record<FieldName, string>>>({});
/** The parts of a link, or of an eval, that could not be used. */
export const linkProblems = signal<readonly string[]>([]);
/** True if the form is folded away, on screens that have room for both. */
export const isFormFolded = signal(false);
/** The visible part if there is no room for both. */
export const shownPart = signal<'form' | 'answers'>('form');

/** Changes fields of the form; what was wrong with them is no longer said. */
export function changeForm({ models, ...fields }: Partial<FormContent>): void {
  batch(() => {
    if (Object.keys(fields).length > 0) setDraft(fields);
    if (models !== undefined) chooseModels(models);
    const changed = Object.keys({ ...fields, ...(models && { models }) });
    if (changed.some((name) => Object.hasOwn(fieldProblems.value, name))) {
      fieldProblems.value = Object.fromEntries(
        Object.entries(fieldProblems.value).filter(([name]) => !changed.includes(name)),
      );
    }
  });
}

/** Marks fields, and moves the focus to the first of them. */
export function markFields(problems: readonly FieldProblem[]): void {
  batch(() => {
    fieldProblems.value = Object.fromEntries(problems.map(({ field, message }) => [field, message]));
    showForm();
  });
  const [first] = problems;
  if (first !== undefined) focusField(first.field);
}

/** Brings the form into view. */
export function showForm(): void {
  isFormFolded.value = false;
  shownPart.value = 'form';
}

/** The id of a field's element. */
export function fieldId(field: FieldName): string {
  return `field-${field}`;
}

/** Moves the focus to a field, when the form is drawn. */
export function focusField(field: FieldName): void {
  requestAnimationFrame(() => {
    // Of two elements for the models, the list and the button that opens it, one is in view.
    const element = [...document.querySelectorAll<HTMLElement>(`[data-field="${field}"]`)].find(
      (each) => each.closest('details:not([open])') !== null || each.checkVisibility(),
    );
    const fold = element?.closest('details');
    if (fold) fold.open = true;
    element?.focus();
  });
}

/** Moves the focus to Run, when the form is drawn. */
export function focusRun(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.run-area .button-primary')?.focus());
}

/**
 * Fills the form with what the fragment of the address says, once the models are known. It runs nothing, and leaves the
 * address, so that a reload shows what was typed since.
 */
export function useFragment(): void {
  const { kind } = modelsState.value;
  useEffect(() => {
    if (kind === 'loading') return undefined;
    takeFragment();
    addEventListener('hashchange', takeFragment);
    return () => removeEventListener('hashchange', takeFragment);
  }, [kind]);
}

function takeFragment(): void {
  const fill = readFragment(location.hash, models.peek().flatMap(idsOf));
  if (fill === undefined) return;
  const { problems, ...content } = fill;
  linkProblems.value = problems;
  changeForm(content);
  showForm();
  history.replaceState(history.state, '', location.pathname + location.search);
}
