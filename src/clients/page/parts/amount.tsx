import { shortAmount } from '../../client/amount-text';

/** An amount of money with three significant digits; all its digits are in the title and in what programs read. */
export function Amount({ exact }: { exact: string }) {
  return (
    <data class="amount" value={exact} title={`$${exact}`}>
      {shortAmount(exact)}
    </data>
  );
}
