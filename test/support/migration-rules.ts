/** A migration: its name, its statements in order, and whether it runs in the common transaction. */
export interface MigrationText {
  name: string;
  statements: readonly string[];
  isTransactional: boolean;
}

/** Tables that grow with the evals, or are written by every one of them. */
export const LARGE_TABLES = [
  'evals',
  'results',
  'charges',
  'erased_evals',
  'runs',
  'reservations',
  'idempotency_keys',
  'month_totals',
  'breakdown_totals',
  'meter_events',
  'audit_entries',
];

const UNUSED = /\/\*\s*unused since (\d+\.\d+\.\d+)\s*\*\//i;
const NAME = String.raw`(?:if (?:not )?exists )?(?:only )?(?:public\.)?(\w+)`;
const ADDS_UNPROVEN = /^add (?:constraint \w+ )?(?:check|foreign key)\b/;
const ADDS_INDEX = /^add (?:constraint \w+ )?(?:unique|primary key|exclude)\b/;
const CONCURRENT_INDEX = /^create (?:unique )?index concurrently /;
const TAKES = /^(?:drop|truncate)\b|^alter \w+ .*\b(?:rename|set schema)\b/;
const NOT_NULL_CHECK = /^add constraint (\w+) check \( ?(\w+) is not null ?\) not valid$/;

/** Facts that later statements may rely on, and the tables that are not in use yet. */
interface Known {
  migration: MigrationText;
  born: Set<string>;
  /** `table.column` of the checks that say "not null", by their names, with the migration that added them. */
  checks: Map<string, { column: string; addedBy: string }>;
  /** `table.column` of which it is proven. */
  proven: Set<string>;
}

/**
 * Complaints about what would break, or lock out, the release that runs while these migrations are applied one after
 * the other. `releases` are the releases that there were.
 */
export function complaintsAbout(migrations: readonly MigrationText[], releases: readonly string[]): string[] {
  const [checks, proven] = [new Map<string, { column: string; addedBy: string }>(), new Set<string>()];
  return migrations.flatMap((migration) => {
    const known: Known = { migration, born: new Set(), checks, proven };
    return migration.statements.flatMap((text) => {
      const since = UNUSED.exec(text)?.[1];
      if (since !== undefined && !releases.includes(since)) return [`${migration.name}: there was no release ${since}`];
      return plain(text)
        .flatMap((statement) => judge(statement, known, since !== undefined))
        .map((complaint) => `${migration.name}: ${complaint}`);
    });
  });
}

/** The statements of a text in lower case, without comments, quotes, bodies of functions and contents of strings. */
function plain(text: string): string[] {
  const bare = text
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/--.*/g, ' ');
  return bare
    .split(';')
    .map((statement) => statement.replaceAll('"', '').replace(/\s+/g, ' ').trim().toLowerCase())
    .filter((statement) => statement !== '');
}

function judge(statement: string, known: Known, isUnused: boolean): string[] {
  if (!known.migration.isTransactional && !CONCURRENT_INDEX.test(statement))
    return [
      `"${statement}" is not undone with the others when something fails; only an index that is built concurrently stands outside the transaction`,
    ];
  const altered = new RegExp(`^alter table ${NAME} (.*)$`).exec(statement);
  if (altered !== null) return judgeTable(altered, known, isUnused);
  const [, created] = new RegExp(`^create (?:unlogged )?table ${NAME}`).exec(statement) ?? [];
  if (created !== undefined) known.born.add(created);
  const isTaking = TAKES.test(statement) && !isUnused;
  return isTaking
    ? [
        `"${statement}" takes away what the release before may use; say since when it is not used: /* unused since X.Y.Z */`,
      ]
    : judgeIndex(statement, known);
}

function judgeTable([, table = '', actions = '']: readonly string[], known: Known, isUnused: boolean): string[] {
  return known.born.has(table)
    ? []
    : actionsOf(actions).flatMap((action) => judgeAction(table, action, known, isUnused));
}

function judgeIndex(statement: string, { migration, born }: Known): string[] {
  if (CONCURRENT_INDEX.test(statement))
    return migration.isTransactional
      ? [`"${statement}" cannot run in a transaction; give it a migration of its own whose isTransactional() is false`]
      : [];
  const [, table = ''] = /^create (?:unique )?index (?:.*? )?on (?:only )?(?:public\.)?(\w+)/.exec(statement) ?? [];
  return LARGE_TABLES.includes(table) && !born.has(table)
    ? [`"${statement}" lets nobody write to ${table} while it is built; build it concurrently`]
    : [];
}

/** The actions of an `alter table`, which commas separate. */
function actionsOf(text: string): string[] {
  let depth = 0;
  let [actions, action] = [[] as string[], ''];
  for (const letter of text) {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0;
    if (letter === ',' && depth === 0) [actions, action] = [[...actions, action.trim()], ''];
    else action += letter;
  }
  return [...actions, action.trim()];
}

function judgeAction(table: string, action: string, known: Known, isUnused: boolean): string[] {
  const where = `"alter table ${table} ${action}"`;
  remember(table, action, known);
  const complaint = judgeTaking(action) ?? judgeConstraint(action);
  if (complaint !== undefined) return isUnused && complaint.canBeUnused ? [] : [`${where} ${complaint.text}`];
  const [, column] = /^alter (?:column )?(\w+) set not null$/.exec(action) ?? [];
  const isProven = column === undefined || known.proven.has(`${table}.${column}`);
  return isProven
    ? []
    : [
        `${where} reads the whole table under a lock; prove it first, by a check that is added "not valid" in one migration and validated in a later one`,
      ];
}

function remember(table: string, action: string, { migration, checks, proven }: Known): void {
  const [, added, column] = NOT_NULL_CHECK.exec(action) ?? [];
  if (added !== undefined) checks.set(`${table}.${added}`, { column: `${table}.${column}`, addedBy: migration.name });
  const check = checks.get(`${table}.${/^validate constraint (\w+)$/.exec(action)?.[1]}`);
  if (check !== undefined && check.addedBy !== migration.name) proven.add(check.column);
}

interface Complaint {
  text: string;
  /** True if it is allowed for things that no release uses any longer. */
  canBeUnused: boolean;
}

function judgeTaking(action: string): Complaint | undefined {
  if (/^drop\b/.test(action) || /^alter .*\bdrop (?!not null)/.test(action))
    return {
      canBeUnused: true,
      text: 'takes away what the release before may use; say since when it is not used: /* unused since X.Y.Z */',
    };
  if (/^(rename|set schema)\b/.test(action))
    return { canBeUnused: true, text: 'hides what the release before may use under another name' };
  if (/^alter (?:column )?\w+ (?:set data )?type\b/.test(action))
    return {
      canBeUnused: true,
      text: 'writes the whole table anew, and may not fit the release before; add a column instead',
    };
  return undefined;
}

function judgeConstraint(action: string): Complaint | undefined {
  if (ADDS_UNPROVEN.test(action) && !/ not valid$/.test(action))
    return {
      canBeUnused: false,
      text: 'reads the whole table under a lock; add it "not valid", and validate it in a later migration',
    };
  if (ADDS_INDEX.test(action) && !/ using index /.test(action))
    return {
      canBeUnused: false,
      text: 'builds an index under a lock; build it concurrently first, and add the constraint "using index"',
    };
  if (!/^add (?!constraint\b|check\b|foreign\b|unique\b|primary\b|exclude\b)/.test(action)) return undefined;
  if (/\bnot null\b/.test(action) && !/\bdefault\b/.test(action))
    return {
      canBeUnused: false,
      text: 'refuses the rows of the release before, which does not know the column; give it a default',
    };
  if (/\b(unique|primary key|references|check)\b/.test(action))
    return { canBeUnused: false, text: 'proves or indexes the whole table under a lock; add the column alone' };
  if (/\bdefault .*\w\(|\bgenerated\b/.test(action))
    return { canBeUnused: false, text: 'may write the whole table anew; give it a plain value as default' };
  return undefined;
}
