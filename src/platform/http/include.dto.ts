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

/** Query of the endpoints that return an eval. */
export class IncludeInEvalQuery {
  @QueryField(
    wordList(INCLUSIONS),
    'Adds these members to the response: `details` (how it was run and charged), `checks` (their verdicts), `statistics` (of the samples); several are separated by commas.',
  )
  include?: string;

  /** The requested parts; nothing by default. */
  toInclusions(): Inclusions {
    return inclusionsOf(this.include);
  }
}

/** Judgments of people on a stored eval. */
const JUDGMENTS = ['preference', 'note'] as const;
const ABOUT_JUDGMENTS = '`preference` (of the asking key), `note` (`note` and `starred`)';

/** The requested judgments. */
export type JudgmentInclusions = Partial<Record<(typeof JUDGMENTS)[number], boolean>>;

/** Query of the endpoint that reads a stored eval. */
export class IncludeInStoredEvalQuery {
  @QueryField(
    wordList([...INCLUSIONS, ...JUDGMENTS]),
    `Adds these members to the response: \`details\` (how it was run and charged), \`checks\` (their verdicts), \`statistics\` (of the samples), ${ABOUT_JUDGMENTS}; several are separated by commas.`,
  )
  include?: string;

  /** The requested parts; nothing by default. */
  toInclusions(): Inclusions & JudgmentInclusions {
    return inclusionsOf(this.include);
  }
}

/** Query of the list of evals. */
export class IncludeInEvalListQuery {
  @QueryField(
    wordList(['details', ...JUDGMENTS]),
    `Adds these members to every eval: \`details\`, ${ABOUT_JUDGMENTS}; several are separated by commas.`,
  )
  include?: string;

  /** The requested parts; nothing by default. */
  toInclusions(): Pick<Inclusions, 'details'> & JudgmentInclusions {
    return inclusionsOf(this.include);
  }
}

function inclusionsOf(include: string | undefined): Record<string, boolean> {
  return Object.fromEntries((include?.split(',') ?? []).map((name) => [name, true]));
}
