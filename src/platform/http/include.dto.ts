import { choice, wordList } from './validation/field-kinds';
import { QueryField } from './validation/field.decorators';

/** Query of the endpoints that can return additional details. */
export class IncludeQuery {
  @QueryField(choice(['details']), 'Adds a `details` member to the response.')
  include?: 'details';
}

/** Additional parts that an eval can show. */
const INCLUSIONS = ['details', 'checks', 'statistics'] as const;

/** The requested additional parts of an eval. */
export type Inclusions = Partial<Record<(typeof INCLUSIONS)[number], boolean>>;

/** Judgments of people on a stored eval. */
const JUDGMENTS = ['preference', 'note'] as const;
const ABOUT_JUDGMENTS = '`preference` (of the asking key), `note` (`note` and `starred`)';

/** The requested judgments. */
export type JudgmentInclusions = Partial<Record<(typeof JUDGMENTS)[number], boolean>>;

abstract class InclusionsQuery<Requested> {
  abstract include?: string;

  /** The requested parts; nothing by default. */
  toInclusions(): Requested {
    return Object.fromEntries((this.include?.split(',') ?? []).map((name) => [name, true])) as Requested;
  }
}

/** Query of the endpoints that return an eval. */
export class IncludeInEvalQuery extends InclusionsQuery<Inclusions> {
  @QueryField(
    wordList(INCLUSIONS),
    'Adds these members to the response: `details` (how it was run and charged), `checks` (their verdicts), `statistics` (of the samples); several are separated by commas.',
  )
  include?: string;
}

/** Query of the endpoint that reads a stored eval. */
export class IncludeInStoredEvalQuery extends InclusionsQuery<Inclusions & JudgmentInclusions> {
  @QueryField(
    wordList([...INCLUSIONS, ...JUDGMENTS]),
    `Adds these members to the response: \`details\` (how it was run and charged), \`checks\` (their verdicts), \`statistics\` (of the samples), ${ABOUT_JUDGMENTS}; several are separated by commas.`,
  )
  include?: string;
}

/** Query of the list of evals. */
export class IncludeInEvalListQuery extends InclusionsQuery<Pick<Inclusions, 'details'> & JudgmentInclusions> {
  @QueryField(
    wordList(['details', ...JUDGMENTS]),
    `Adds these members to every eval: \`details\`, ${ABOUT_JUDGMENTS}; several are separated by commas.`,
  )
  include?: string;
}
