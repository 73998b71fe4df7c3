import { pairRates } from '../choice/rates';
import { ModelMark } from '../compare/model-mark';
import { client } from '../session';
import { useLoaded } from '../use-loaded';

const SHOWN = 3;

/** How often which model was preferred, above the history; nothing before the first choice. */
export function Rates() {
  const loaded = useLoaded((signal) => client().preferences({}, { signal }), []).state.value;
  if (loaded.kind !== 'loaded' || loaded.value.pairs.length === 0) return null;
  const { models } = loaded.value;
  const all = models.map(({ model }) => model);
  return (
    <section class="history-rates" aria-label="Your choices so far">
      <h2>Your choices so far</h2>
      <ul>{pairRates(loaded.value).slice(0, SHOWN).map(({ better, other, text }) => <li key={`${better} ${other}`}><ModelMark model={better} models={all} /> <bdi>{better}</bdi> preferred to <bdi>{other}</bdi> in {text}</li>)}</ul>
    </section>
  );
}
