import { PairRateText } from '../choice/pair-rate-text';
import { pairRates } from '../choice/rates';
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
      <ul>
        {pairRates(loaded.value)
          .slice(0, SHOWN)
          .map((rate) => (
            <li key={`${rate.better} ${rate.other}`}>
              <PairRateText rate={rate} models={all} />
            </li>
          ))}
      </ul>
    </section>
  );
}
