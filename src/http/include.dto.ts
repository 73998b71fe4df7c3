import { choice, wordList } from './validation/field-kinds';
import { QueryField } from './validation/field.decorators';

/** Query of the endpoints that can return additional details. */
export class IncludeQuery {
  @QueryField(choice(['details']), { description: 'Adds a `details` member to the response.' })
  include?: 'details';
}

/** Additional parts that an eval can show. */
const INCLUSIONS = ['details', 'checks', 'statistics'] as const;

/** The requested additional parts of an eval. */
export type Inclusions = Partial<Record<(typeof INCLUSIONS)[number], boolean>>;

/** Query of the endpoints that return an eval. */
export class IncludeInEvalQuery {
  @QueryField(wordList(INCLUSIONS), { description: 'Adds these members to the response: `details` (how it was run and charged), `checks` (their verdicts), `statistics` (of the samples); several are separated by commas.' })
  include?: string;

  /** The requested parts; nothing by default. */
  toInclusions(): Inclusions {
    return Object.fromEntries((this.include?.split(',') ?? []).map((name) => [name, true]));
  }
}
