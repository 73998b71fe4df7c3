import type { Eval } from '../../client/client';
import { Amount } from '../parts/amount';
import { LocalTime } from '../parts/local-time';
import { ScreenTitle } from '../parts/screen-title';

/** What was asked, when, with which options, and what was charged. */
export function EvalFacts({ stored, onErase }: { stored: Eval; onErase: () => void }) {
  const { prompt, meta, details } = stored;
  return (
    <>
      <div class="eval-title">
        <ScreenTitle title="Eval" />
        <LocalTime timestamp={meta.created_at} />
        <button type="button" class="button-danger" onClick={onErase}>Erase</button>
      </div>
      <Text label="Prompt" text={prompt} />
      {typeof details?.input === 'string' && details.input !== '' && <Text label="Input" text={details.input} />}
      {details !== undefined && <Options {...details} />}
    </>
  );
}

function Options({ options, charge_usd: charge, free }: NonNullable<Eval['details']>) {
  return (
    <dl class="eval-facts">
      <div><dt>Temperature</dt><dd>{options.temperature}</dd></div>
      <div><dt>Max tokens</dt><dd>{options.max_tokens}</dd></div>
      <div><dt>Charged</dt><dd>{free ? 'nothing: a free eval' : <Amount exact={charge} />}</dd></div>
    </dl>
  );
}

/** A long text is folded to its beginning. */
function Text({ label, text }: { label: string; text: string }) {
  const isLong = text.length > 400 || text.split('\n', 6).length > 5;
  if (!isLong) return <div class="eval-text"><h2>{label}</h2><p dir="auto">{text}</p></div>;
  return (
    <details class="eval-text">
      <summary><h2>{label}</h2> <span class="eval-text-start"><bdi>{text.slice(0, 200).replace(/\s+/g, ' ')}…</bdi></span></summary>
      <p dir="auto">{text}</p>
    </details>
  );
}
