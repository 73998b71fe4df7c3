import type { Eval } from '../../client/client';
import { samplesOf } from '../compare/evaluated';
import { Amount } from '../parts/amount';
import { LocalTime } from '../parts/local-time';
import { LongText } from '../parts/long-text';
import { ScreenTitle } from '../parts/screen-title';

/** The request, its time, its options and its charge. */
export function EvalFacts({ stored, onErase, onRerun }: { stored: Eval; onErase: () => void; onRerun: (() => void) | undefined }) {
  const { prompt, meta, details } = stored;
  return (
    <>
      <div class="eval-title">
        <ScreenTitle title="Eval" />
        <LocalTime timestamp={meta.created_at} />
        {onRerun !== undefined && <button type="button" title="Run this eval again and see what has changed" onClick={onRerun}>Run again and compare</button>}
        <button type="button" class="button-danger" onClick={onErase}>Erase</button>
      </div>
      <LongText label="Prompt" text={prompt} />
      {typeof details?.input === 'string' && details.input !== '' && <LongText label="Input" text={details.input} />}
      {details !== undefined && <Options {...details} />}
    </>
  );
}

function Options({ options, charge_usd: charge, free }: NonNullable<Eval['details']>) {
  const samples = samplesOf(options);
  return (
    <dl class="eval-facts">
      <div><dt>Temperature</dt><dd>{options.temperature}</dd></div>
      <div><dt>Max tokens</dt><dd>{options.max_tokens}</dd></div>
      {samples > 1 && <div><dt>Samples</dt><dd>{samples}</dd></div>}
      <div><dt>Charged</dt><dd>{free ? 'nothing: a free eval' : <Amount exact={charge} />}</dd></div>
    </dl>
  );
}
