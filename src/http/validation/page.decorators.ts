import { pattern, wholeNumber } from './field-kinds';
import { digits, QueryField } from './field.decorators';
import type { IdKind } from '../../common/ids';

const MAX_PAGE = 100;

/** How many things a page shall have at most; whoever asks for more than 100 gets 100. */
export function PageLimit(things: string): PropertyDecorator {
  return QueryField(wholeNumber(1), { read: pageSize, default: 20, description: `Number of ${things} to return; over ${MAX_PAGE} counts as ${MAX_PAGE}.` });
}

/** Where a page begins: the id of the last thing of the page before. */
export function PageCursor(kind: IdKind, options: { description: string; example?: string }): PropertyDecorator {
  return QueryField(pattern(new RegExp(`^${kind}_[0-9a-hjkmnp-tv-z]{26}$`), 'what the Link header of an earlier page gave'), options);
}

function pageSize(text: string): unknown {
  const size = digits(text);
  return typeof size === 'number' ? Math.min(size, MAX_PAGE) : size;
}
