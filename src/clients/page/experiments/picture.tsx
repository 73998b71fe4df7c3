import { h } from 'preact';
import { drawDecision, PICTURE_HEIGHT } from '../../../common/decision-picture';
import type { ExperimentSummary } from '../../client/client';
import { markOf } from '../compare/models/model-mark';

/** Cost against the share that passed; nothing where fewer than two models have both. The table has the same figures. */
export function DecisionPicture({
  summary: { models },
  taken,
}: {
  summary: ExperimentSummary;
  taken?: string | null | undefined;
}) {
  const names = models.map(({ model }) => model);
  const pictured = models.flatMap(({ model, passed, cost_per_passed: cost }) =>
    passed === null || cost === null
      ? []
      : [
          {
            mark: markOf(model, names).initial,
            cost: 1000 * Number(cost.usd),
            rate: passed.rate,
            ends: passed.ci,
            isTaken: model === taken,
          },
        ],
  );
  if (pictured.length < 2) return null;
  // On a phone the letters of a wide picture would be too small.
  const width = matchMedia('(width < 40rem)').matches ? 360 : 640;
  return (
    <svg
      class="decision-picture"
      viewBox={`0 0 ${width} ${PICTURE_HEIGHT}`}
      role="img"
      aria-label="Share that passed, by the cost of 1,000 passed answers"
    >
      {drawDecision(pictured, width).map(({ tag, attributes, text }, index) =>
        h(tag, { key: index, ...attributes }, text),
      )}
    </svg>
  );
}
