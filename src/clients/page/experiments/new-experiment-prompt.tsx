import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CompareRequest, CreatedDataset } from '../../client/client';
import type { CheckDraft } from '../compare/form/check-drafts';
import { contentOf, EMPTY_FORM, type FormContent } from '../compare/form/form-content';
import { changeForm, formContent } from '../compare/form/form-state';
import { problemOf } from '../requests';
import { client } from '../session';

// Prompt and checks of a new experiment: its own, those of the last compare, or of an earlier experiment.

/** The part of the form that a compare does not have. */
export interface Own {
  name: string;
  limit: string;
  cap: string;
  stored: CreatedDataset | undefined;
}

/** Prompt, input, earlier turns and checks of this form while it is not shown. */
let kept: Pick<FormContent, 'prompt' | 'input' | 'history' | 'checks'> = promptOf(EMPTY_FORM);

/** The next experiment begins with an empty prompt. */
export function forgetPrompt(): void {
  kept = promptOf(EMPTY_FORM);
}

/** Takes the place of the compare's prompt and checks while this form is shown. Returns those of the compare. */
function useOwnPrompt(): typeof kept {
  const compare = useRef(kept);
  useLayoutEffect(() => {
    compare.current = promptOf(formContent.peek());
    changeForm(kept);
    return () => {
      kept = promptOf(formContent.peek());
      changeForm(compare.current);
    };
  }, []);
  return compare.current;
}

function promptOf({ prompt, input, history, checks }: FormContent): typeof kept {
  return { prompt, input, history, checks };
}

/** Keeps the prompt of the last compare, and offers it. */
export function OfferedPrompt() {
  const offered = useOwnPrompt();
  if (formContent.value.prompt !== '' || offered.prompt.trim() === '') return null;
  return (
    <p class="examples">
      <button
        type="button"
        class="chip"
        title={offered.prompt.slice(0, 200)}
        onClick={() => changeForm({ ...offered, input: '', checks: [...formContent.value.checks, ...offered.checks] })}
      >
        Use the prompt of your last compare
      </button>
    </p>
  );
}

/** Fills the form from the experiment of which another prompt is tried. Returns what keeps it from that. */
export function useTemplate(after: string | undefined, own: Signal<Own>): string {
  const problem = useSignal('');
  useEffect(() => {
    if (after === undefined) return;
    const fill = async (): Promise<void> => {
      const experiment = await client().experiments.get(after);
      const { prompt, models, options, checks, name, limit, max_cost_usd: cap } = experiment;
      const { dataset_id: id } = experiment;
      const dataset = await client().datasets.get(id);
      changeForm(contentOf({ prompt: prompt ?? '', models, options: options ?? {}, checks } as CompareRequest));
      own.value = {
        name: name === null ? '' : `${name}, another prompt`.slice(0, 100),
        limit: limit === null ? '' : String(limit),
        cap,
        stored: { ...dataset, notes: [] },
      };
    };
    void problemOf(fill, 'That experiment or its data set is gone: choose a file.').then((words) => {
      problem.value = words;
    });
  }, [after]);
  return problem.value;
}

const EQUALS = { type: 'equals', value: '{expected}' } as const;
const CONTAINS = { type: 'contains', values: '{expected}' } as const;

function isOfExpected({ values, value }: CheckDraft): boolean {
  return [values, value].includes('{expected}');
}

/** Sets the check that most data sets with expected answers want, unless there is one. */
export function proposeCheck(columns: readonly string[] = []): void {
  const { checks } = formContent.peek();
  if (columns.includes('expected') && !checks.some(isOfExpected)) changeForm({ checks: [...checks, EQUALS] });
}

/** The check against the expected answer: exact, contained, or none. */
export function ExpectedCheck() {
  const { checks } = formContent.value;
  const current = checks.find(isOfExpected)?.type;
  const choose = (check: CheckDraft | undefined): void =>
    changeForm({ checks: [...checks.filter((one) => !isOfExpected(one)), ...(check === undefined ? [] : [check])] });
  return (
    <div class="examples" role="group" aria-label="Check against the expected answer">
      <span class="quiet">The answer</span>
      {([EQUALS, CONTAINS] as const).map((check) => (
        <button
          key={check.type}
          type="button"
          class="chip"
          aria-pressed={current === check.type}
          onClick={() => choose(current === check.type ? undefined : check)}
        >
          {check.type} {'{expected}'}
        </button>
      ))}
    </div>
  );
}
