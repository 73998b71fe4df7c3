import { PageCursor, PageLimit } from '../../http/validation/page.decorators';

/** The query of a list of keys. */
export class KeyPageQuery {
  @PageLimit('keys')
  limit: number = 20;

  @PageCursor('key', { description: 'Cursor of the next page.' })
  cursor?: string;
}
