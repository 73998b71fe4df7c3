import { signal, type Signal } from '@preact/signals';
import type { Eval, Preference } from '../../../client/client';
import { announce } from '../../parts/notices';
import { problemOf } from '../../requests';
import { client, hasScope } from '../../session';

/** The choice that the key in use made in an eval. */
export interface Choice {
  /** The kept preference. */
  kept: Signal<Preference | undefined>;
  problem: Signal<string>;
  isSaving: Signal<boolean>;
}

export const TIE = 'tie';
export const NONE = 'none_good';
export const MAX_REASON_CHARACTERS = 500;

/** Lives as long as the eval on the screen, which other screens may cover meanwhile. */
const choices = new WeakMap<Eval, Choice>();

/** The choice in an eval. */
export function choiceIn(stored: Eval): Choice {
  const known = choices.get(stored);
  if (known !== undefined) return known;
  const made: Choice = { kept: signal(stored.preference ?? undefined), problem: signal(''), isSaving: signal(false) };
  choices.set(stored, made);
  return made;
}

/** True if the key in use may choose among the answers of an eval. */
export function mayChoose(): boolean {
  return hasScope('compare') && hasScope('evals:read');
}

/** The models that answered, in the order of the eval: only they can be better. */
export function answeredModels({ models, results }: Eval): string[] {
  return models.filter((model) => results.some((result) => result.model === model && result.error === undefined));
}

/** Keeps a choice, in place of an earlier one of this key, here or in another tab. */
export async function choose(
  stored: Eval,
  body: { preferred: string; blind: boolean; reason?: string },
): Promise<void> {
  await save(stored, async () => {
    const kept = await client().evals.prefer(stored.eval_id, body);
    announce(`Chosen: ${choiceText(kept.preferred)}`);
    return kept;
  });
}

/** Takes the choice back. */
export async function takeBack(stored: Eval): Promise<void> {
  await save(stored, async () => {
    await client().evals.unprefer(stored.eval_id);
    announce('The choice was taken back');
    return undefined;
  });
}

/** A choice in words. */
function choiceText(preferred: string): string {
  return preferred === TIE ? 'they tie' : preferred === NONE ? 'none is good' : preferred;
}

async function save(stored: Eval, change: () => Promise<Preference | undefined>): Promise<void> {
  const { kept, problem, isSaving } = choiceIn(stored);
  if (isSaving.peek()) return;
  isSaving.value = true;
  problem.value = '';
  problem.value = await problemOf(async () => {
    kept.value = await change();
  }, 'This eval was erased, so no choice can be kept.');
  isSaving.value = false;
}
