import type { IdKind } from '../../../common/ids';
import { pattern, wholeNumber } from './field-kinds';
import { digits, QueryField } from './field.decorators';

const MAX_PAGE = 100;

/** The maximum number of items on a page; a value above 100 counts as 100. */
export function PageLimit(things: string): PropertyDecorator {
  return QueryField(wholeNumber(1), `Number of ${things} to return; values above ${MAX_PAGE} count as ${MAX_PAGE}.`, {
    read: pageSize,
    default: 20,
  });
}

const CURSOR = 'a cursor from the Link header of an earlier page';

/** The start of a page: the id of the last item of the previous page. */
export function PageCursor(
  kind: IdKind,
  description = 'Cursor from the Link header of the previous page.',
): PropertyDecorator {
  return QueryField(pattern(new RegExp(`^${kind}_[0-9a-hjkmnp-tv-z]{26}$`), CURSOR), description);
}

function pageSize(text: string): unknown {
  const size = digits(text);
  return typeof size === 'number' ? Math.min(size, MAX_PAGE) : size;
}
