import { choice } from './validation/field-kinds';
import { QueryField } from './validation/field.decorators';

/** Query of the routes that can say more than the contract's fields. */
export class IncludeQuery {
  @QueryField(choice(['details']), { description: 'Adds a `details` member to what is answered.' })
  include?: 'details';
}
