import { choice } from './validation/field-kinds';
import { QueryField } from './validation/field.decorators';

/** Query of the endpoints that can return additional details. */
export class IncludeQuery {
  @QueryField(choice(['details']), { description: 'Adds a `details` member to the response.' })
  include?: 'details';
}
