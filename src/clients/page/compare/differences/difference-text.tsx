import { type DifferenceView, neighborChange } from './difference-view';

/** An answer with its differences from the base: underlined what it has more, struck what it has not. */
export function DifferenceText({ view: { found, current }, text }: { view: DifferenceView; text: string }) {
  if (found === undefined)
    return (
      <>
        <p class="quiet">Too different to compare word by word.</p>
        <div class="answer-text" dir="auto">
          {text}
        </div>
      </>
    );
  return (
    <div class="answer-text" dir="auto">
      {found.parts.map(({ kind, text: part, change }, index) => {
        const isCurrent = change !== undefined && change === current.value;
        if (kind === 'added')
          return (
            <ins key={index} data-change={change} data-current={isCurrent}>
              {part}
            </ins>
          );
        return kind === 'removed' ? (
          <del key={index} data-change={change} data-current={isCurrent}>
            {part}
          </del>
        ) : (
          part
        );
      })}
    </div>
  );
}

/** Brings a change into view. */
function scrollToChange(change: number): void {
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document
    .querySelector(`[data-change="${change}"]`)
    ?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: isCalm ? 'auto' : 'smooth' });
}

/** Goes to the next or previous change. */
export function goToChange({ found, current }: Pick<DifferenceView, 'found' | 'current'>, step: 1 | -1): void {
  const next = neighborChange(current.value, step, found?.changes ?? 0);
  current.value = next;
  if (next !== undefined) scrollToChange(next);
}
