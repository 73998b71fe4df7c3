import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type CreatedDataset, type Dataset, type DatasetFormat } from '../../client/client';
import { factsOf } from '../compare/evaluated';
import { ProblemText } from '../compare/form/field';
import { groupDigits, pluralize } from '../compare/limits';
import { FindingTable } from '../parts/scroller';
import { announce } from '../parts/notices';
import { client } from '../session';
import {
  formatOf,
  guessedNames,
  type Member,
  MEMBERS,
  type Names,
  type Preview,
  PREVIEW_BYTES,
  previewOf,
  variablesOf,
} from './data-file';

/** A file, its first rows, and the column of each member. */
interface ChosenFile {
  file: File;
  format: DatasetFormat;
  preview: Preview;
  names: Names;
}

export const FILE_ID = 'experiment-file';
const MAX_NAME_CHARACTERS = 100;
const MAX_CELL_CHARACTERS = 200;
const LABELS: Readonly<Record<Member, string>> = {
  input: 'Input',
  expected: 'Expected answer',
  group: 'Group',
  id: 'Id',
};

interface DataFieldProps {
  stored: CreatedDataset | undefined;
  problem: string | undefined;
  /** Called with undefined once the file or a column has changed. */
  onChange: (stored: CreatedDataset | undefined) => void;
}

/** Takes a file of rows: shows its first rows, asks what the columns are, and stores it. */
export function DataField({ stored, problem, onChange }: DataFieldProps) {
  const { chosen, unread, choose } = useChosenFile(onChange);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    void choose(event.dataTransfer?.files[0]);
  };
  const message = unread.value === '' ? problem : unread.value;
  return (
    <fieldset class="field data-field" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <legend>Data set</legend>
      <div class="field-label">
        <label for={FILE_ID}>File of rows</label>
        <span id={`${FILE_ID}-hint`} class="quiet">
          drop or choose CSV with a header, JSONL or JSON
        </span>
      </div>
      <input
        id={FILE_ID}
        type="file"
        accept=".csv,.tsv,.jsonl,.ndjson,.json"
        aria-invalid={message !== undefined}
        aria-describedby={`${FILE_ID}-hint ${FILE_ID}-problem`}
        onChange={(event) => void choose(event.currentTarget.files?.[0])}
      />
      <ProblemText id={FILE_ID} problem={message} />
      {chosen.value === undefined && stored !== undefined && (
        <p>
          <bdi>{stored.name}</bdi>: {storedText(stored)}
        </p>
      )}
      {chosen.value !== undefined && (
        <Chosen
          key={chosen.value.file}
          chosen={chosen.value}
          stored={stored}
          onNames={(names) => {
            chosen.value = chosen.value && { ...chosen.value, names };
            onChange(undefined);
          }}
          onStored={onChange}
        />
      )}
    </fieldset>
  );
}

function useChosenFile(onChange: DataFieldProps['onChange']) {
  const chosen = useSignal<ChosenFile | undefined>(undefined);
  const unread = useSignal('');
  const latest = useRef<File | undefined>(undefined);
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    onChange(undefined);
    // Until the new file is read, nothing can upload the one before.
    chosen.value = undefined;
    latest.current = file;
    const read = await readFile(file).catch(() => 'The file could not be read.');
    if (latest.current !== file) return;
    [chosen.value, unread.value] = typeof read === 'string' ? [undefined, read] : [read, ''];
  };
  return { chosen, unread, choose };
}

/** The beginning of a file, or why it cannot be used. */
async function readFile(file: File): Promise<ChosenFile | string> {
  const format = formatOf(file.name);
  if (format === undefined) return 'Choose a file whose name ends with .csv, .jsonl, .ndjson or .json.';
  const preview = previewOf(await (format === 'json' ? file : file.slice(0, PREVIEW_BYTES)).text(), format);
  return preview.rows.length === 0
    ? 'No row was found in this file.'
    : { file, format, preview, names: guessedNames(preview.columns) };
}

interface ChosenProps extends Pick<DataFieldProps, 'stored'> {
  chosen: ChosenFile;
  onNames: (names: Names) => void;
  onStored: (stored: CreatedDataset) => void;
}

function Chosen({ chosen, stored, onNames, onStored }: ChosenProps) {
  const { format, preview, names } = chosen;
  const { columns } = preview;
  const { isSending, refused, upload } = useUpload(chosen, onStored);
  return (
    <>
      <FirstRows chosen={chosen} />
      <fieldset class="data-columns" disabled={isSending.value}>
        <legend class="visually-hidden">Columns</legend>
        {MEMBERS.map((member) => (
          <Column key={member} member={member} columns={columns} names={names} onNames={onNames} />
        ))}
      </fieldset>
      <Variables names={variablesOf(columns, names)} />
      {/* The button stays, so that the focus does. */}
      <div class="data-upload">
        <button
          type="button"
          aria-disabled={isSending.value || stored !== undefined}
          onClick={() => {
            if (!isSending.value && stored === undefined) void upload();
          }}
        >
          {isSending.value ? 'Uploading …' : stored === undefined ? 'Upload the rows' : 'Uploaded'}
        </button>
        {stored !== undefined && <span>{storedText(stored)}</span>}
      </div>
      {stored?.notes.map((note) => (
        <p key={note} class="quiet" dir="auto">
          {note}
        </p>
      ))}
      {stored === undefined && refused.value?.by === names && <Faults error={refused.value.error} format={format} />}
    </>
  );
}

function useUpload({ file, format, names }: ChosenFile, onStored: ChosenProps['onStored']) {
  const isSending = useSignal(false);
  const refused = useSignal<{ by: Names; error: CompareError } | undefined>(undefined);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const upload = async (): Promise<void> => {
    isSending.value = true;
    try {
      const dataset = await client().datasets.create(file, {
        ...names,
        name: file.name.slice(0, MAX_NAME_CHARACTERS).toWellFormed(),
        format,
      });
      // Another file may have been chosen meanwhile.
      if (isShown.current) onStored(dataset);
      announce(storedText(dataset));
    } catch (error) {
      refused.value = {
        by: names,
        error:
          error instanceof CompareError
            ? error
            : new CompareError('The file could not be read.', { code: 'unexpected_answer' }),
      };
    }
    isSending.value = false;
  };
  return { isSending, refused, upload };
}

function FirstRows({ chosen: { file, preview } }: Pick<ChosenProps, 'chosen'>) {
  const { columns, rows } = preview;
  return (
    <>
      <p class="quiet">
        <bdi>{file.name.slice(0, MAX_NAME_CHARACTERS)}</bdi>, {groupDigits(file.size)} bytes.{' '}
        {rows.length === 1 ? 'Its first row:' : `Its first ${rows.length} rows:`}
      </p>
      <FindingTable label="First rows" class="data-rows" heads={columns.map((column) => cellText(column))}>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map((_, at) => (
              <td key={at} dir="auto">
                {cellText(row[at])}
              </td>
            ))}
          </tr>
        ))}
      </FindingTable>
    </>
  );
}

function cellText(text = ''): string {
  return text.slice(0, MAX_CELL_CHARACTERS).toWellFormed();
}

interface ColumnProps extends Pick<ChosenFile, 'names'>, Pick<ChosenProps, 'onNames'> {
  member: Member;
  columns: readonly string[];
}

/** A column is one member at most. A column with the name of a member is that member, unless another one is. */
function Column({ member, columns, names, onNames }: ColumnProps) {
  const choose = (column: string): void =>
    onNames(
      Object.fromEntries([
        ...Object.entries(names).filter(([each, other]) => each !== member && other !== column),
        ...(column === '' ? [] : [[member, column] as const]),
      ]),
    );
  return (
    <div class="field">
      <label for={`column-${member}`}>{LABELS[member]}</label>
      <select
        id={`column-${member}`}
        value={names[member] ?? ''}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {!columns.includes(member) && <option value="">none</option>}
        {columns.map((column, index) => (
          <option key={index} value={column}>
            {cellText(column)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Variables({ names }: { names: readonly string[] }) {
  return names.length === 0 ? null : (
    <p class="quiet">
      Variables for the prompt:{' '}
      {names.slice(0, 20).map((name) => (
        <code key={name} class="data-variable">{`{${name.slice(0, 40)}}`}</code>
      ))}
    </p>
  );
}

/** The faults of rows with their lines, or another reason why nothing was stored. */
function Faults({ error: { details, message }, format }: { error: CompareError; format: DatasetFormat }) {
  const { faults } = factsOf(details);
  const lines = Array.isArray(faults) ? (faults as { line: number; problem: string }[]) : [];
  return (
    <div role="alert" class="problem">
      <p>{lines.length === 0 ? message : 'Nothing was stored. The file has these faults:'}</p>
      <ul class="data-faults">
        {lines.map(({ line, problem }) => (
          <li key={`${line} ${problem}`}>
            <strong>
              {format === 'json' ? 'Row' : 'Line'} {line}
            </strong>{' '}
            {problem}
          </li>
        ))}
      </ul>
    </div>
  );
}

function storedText({ rows, groups, bytes }: Dataset): string {
  return `${pluralize(rows, 'row')}${groups > 0 ? ` in ${pluralize(groups, 'group')}` : ''}, ${pluralize(bytes, 'byte')}, are stored.`;
}
