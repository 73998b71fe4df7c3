import type { Breakdown } from '../../client/client';
import { groupDigits } from '../compare/limits';
import { ModelMark } from '../compare/models/model-mark';
import { maxAmount, shareOf } from '../money';
import { Amount } from '../parts/values';
import type { BreakdownLine } from './month-figures';

interface TableProps {
  breakdown: Breakdown;
  /** Heading of the first column. */
  head: string;
  caption: string;
  nameOf?: (item: string) => string;
  /** True if the items are models, which have their marks. */
  isOfModels?: boolean;
}

const HEADS = ['Cost', 'Evals', 'Tokens in', 'Tokens out', 'Charge'];

/**
 * A month by model, day or key; the bars are lengths of the cost. Its roles are written out because on the phone each
 * row is a small card,
 * and a browser forgets that a table is one when its rows are laid out otherwise.
 */
export function BreakdownTable({
  breakdown: { items },
  head,
  caption,
  nameOf = (item) => item,
  isOfModels = false,
}: TableProps) {
  const most = maxAmount(items.map(({ cost_usd: cost }) => cost));
  const models = isOfModels ? items.map(({ item }) => item) : undefined;
  return (
    <table class="breakdown" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {[head, ...HEADS].map((name) => (
            <th key={name} scope="col" role="columnheader">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((line) => (
          <Row key={line.item} line={line} name={line.name ?? nameOf(line.item)} models={models} most={most} />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  line,
  name,
  models,
  most,
}: {
  line: BreakdownLine;
  name: string;
  models: readonly string[] | undefined;
  most: string;
}) {
  const { cost_usd: cost, charge_usd: charge, eval_count: evals, input_tokens: input, output_tokens: output } = line;
  return (
    <tr role="row">
      <th scope="row" role="rowheader" title={line.item}>
        {models !== undefined && (
          <>
            <ModelMark model={line.item} models={models} />{' '}
          </>
        )}
        <bdi>{name}</bdi>
      </th>
      <td role="cell" class="breakdown-cost">
        <span class="bar-track" aria-hidden="true">
          <span class="bar" style={{ inlineSize: `${shareOf(cost, most) * 100}%` }} />
        </span>
        <Amount exact={cost} />
      </td>
      <td role="cell" data-label="evals">
        {groupDigits(evals)}
      </td>
      <td role="cell" data-label="tokens in">
        {groupDigits(input)}
      </td>
      <td role="cell" data-label="tokens out">
        {groupDigits(output)}
      </td>
      <td role="cell" data-label="charge">
        <Amount exact={charge} />
      </td>
    </tr>
  );
}
