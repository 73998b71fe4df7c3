import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type Dataset } from '../../client/client';
import { ProblemText } from '../compare/field';
import { groupDigits } from '../compare/limits';
import { factsOf } from '../compare/evaluated';
import { announce } from '../parts/status-line';
import { client } from '../session';
import { asJsonLines, formatOf, guessedNames, MEMBERS, PREVIEW_BYTES, previewOf, variablesOf, type FileFormat, type Member, type Names, type Preview } from './data-file';

/** A chosen file, as far as it was read. */
interface ChosenFile {
  file: File;
  format: FileFormat;
  preview: Preview;
}

/** Why a file was not stored; faults of rows have their lines. */
interface Refused {
  message: string;
  faults: { line: number; problem: string }[];
}

export const FILE_ID = 'experiment-file';
const MAX_NAME_CHARACTERS = 100;
const MAX_CELL_CHARACTERS = 200;
const LABELS: Readonly<Record<Member, string>> = { input: 'Input', expected: 'Expected answer', group: 'Group', id: 'Id' };

interface DataFieldProps {
  dataset: Dataset | undefined;
  problem: string | undefined;
  /** The stored data set with the names that prompts can use; undefined once the file or a column has changed. */
  onChange: (dataset: Dataset | undefined, names: readonly string[]) => void;
}

/** Takes a file of rows: shows its first rows, asks what the columns are, and stores it. */
export function DataField({ dataset, problem, onChange }: DataFieldProps) {
  const chosen = useSignal<ChosenFile | undefined>(undefined);
  const names = useSignal<Names>({});
  const unread = useSignal('');
  const isOver = useSignal(false);
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    onChange(undefined, []);
    const read = await readFile(file);
    if (typeof read === 'string') [chosen.value, unread.value] = [undefined, read];
    else [chosen.value, names.value, unread.value] = [read, guessedNames(read.preview.columns), ''];
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    void choose(event.dataTransfer?.files[0]);
  };
  const name = (member: Member, column: string): void => {
    names.value = Object.fromEntries([...Object.entries(names.value).filter(([each, other]) => each !== member && other !== column), ...(column === '' ? [] : [[member, column]])]);
    onChange(undefined, []);
  };
  const message = unread.value !== '' ? unread.value : problem;
  return (
    <fieldset class="field data-field" data-over={isOver.value} onDragOver={(event) => { event.preventDefault(); isOver.value = true; }} onDragLeave={() => { isOver.value = false; }} onDrop={onDrop}>
      <legend>Data set</legend>
      <div class="field-label"><label for={FILE_ID}>File of rows</label><span id={`${FILE_ID}-hint`} class="quiet">drop or choose CSV with a header, JSONL or JSON</span></div>
      <input id={FILE_ID} type="file" accept=".csv,.jsonl,.ndjson,.json" aria-invalid={message !== undefined} aria-describedby={`${FILE_ID}-hint${message === undefined ? '' : ` ${FILE_ID}-problem`}`} onChange={(event) => void choose(event.currentTarget.files?.[0])} />
      <ProblemText id={FILE_ID} problem={message} />
      {chosen.value !== undefined && (
        <>
          <FirstRows chosen={chosen.value} names={names.value} />
          <Columns preview={chosen.value.preview} names={names.value} onName={name} />
          <Upload key={chosen.value.file} chosen={chosen.value} names={names.value} dataset={dataset} onStored={onChange} />
        </>
      )}
    </fieldset>
  );
}

/** The first rows of a file, or why it cannot be used. */
async function readFile(file: File): Promise<ChosenFile | string> {
  const format = formatOf(file.name);
  if (format === undefined) return 'Choose a file whose name ends with .csv, .jsonl, .ndjson or .json.';
  try {
    const preview = previewOf(await (format === 'json' ? file : file.slice(0, PREVIEW_BYTES)).text(), format);
    return preview.rows.length === 0 ? 'No row was found in this file.' : { file, format, preview };
  } catch {
    return 'The file could not be read.';
  }
}

function FirstRows({ chosen: { file, preview: { columns, rows } }, names }: { chosen: ChosenFile; names: Names }) {
  const memberOf = (column: string) => MEMBERS.find((member) => names[member] === column);
  return (
    <>
      <p class="quiet"><bdi>{file.name.slice(0, MAX_NAME_CHARACTERS)}</bdi>, {groupDigits(file.size)} bytes. {rows.length === 1 ? 'Its first row:' : `Its first ${rows.length} rows:`}</p>
      <div class="finding-scroller" role="region" aria-label="First rows" tabIndex={0}>
        <table class="finding-table data-rows">
          <thead><tr>{columns.map((column, index) => <th key={index} scope="col"><bdi>{column.slice(0, MAX_CELL_CHARACTERS)}</bdi>{memberOf(column) !== undefined && <span class="finding-range">{LABELS[memberOf(column) ?? 'input']}</span>}</th>)}</tr></thead>
          <tbody>{rows.map((row, index) => <tr key={index}>{columns.map((_, at) => <td key={at} dir="auto">{(row[at] ?? '').slice(0, MAX_CELL_CHARACTERS).toWellFormed()}</td>)}</tr>)}</tbody>
        </table>
      </div>
    </>
  );
}

/** The column of each member. A column that has the name of a member is that member, unless another one is. */
function Columns({ preview, names, onName }: { preview: Preview; names: Names; onName: (member: Member, column: string) => void }) {
  const variables = variablesOf(preview, names);
  return (
    <>
      <div class="data-columns">
        {MEMBERS.map((member) => (
          <div key={member} class="field">
            <label for={`column-${member}`}>{LABELS[member]}</label>
            <select id={`column-${member}`} value={names[member] ?? ''} onChange={(event) => onName(member, event.currentTarget.value)}>
              {!preview.columns.includes(member) && <option value="">none</option>}
              {preview.columns.map((column) => <option key={column} value={column}>{column.slice(0, MAX_CELL_CHARACTERS)}</option>)}
            </select>
          </div>
        ))}
      </div>
      {variables.length > 0 && <p class="quiet">Variables for the prompt: {variables.slice(0, 20).map((name) => <code key={name} class="data-variable">{`{${name.slice(0, 40)}}`}</code>)}</p>}
    </>
  );
}

function Upload({ chosen: { file, format, preview }, names, dataset, onStored }: { chosen: ChosenFile; names: Names; dataset: Dataset | undefined; onStored: DataFieldProps['onChange'] }) {
  const isSending = useSignal(false);
  const refused = useSignal<Refused | undefined>(undefined);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(new Error('Another file, or another screen.')), []);
  const upload = async (): Promise<void> => {
    [isSending.value, refused.value] = [true, undefined];
    const asked = JSON.stringify(names);
    const { signal } = stop.current;
    try {
      const source = format === 'csv' ? file : asJsonLines(await file.text(), format, names);
      const stored = await client().datasets.create(source, { ...names, name: file.name.slice(0, MAX_NAME_CHARACTERS).toWellFormed(), format: format === 'csv' ? 'csv' : 'jsonl', signal });
      if (signal.aborted || asked !== latest.current) return;
      onStored(stored, [...(names.input === undefined ? [] : ['input']), ...variablesOf(preview, names)]);
      announce(storedText(stored));
    } catch (error) {
      if (signal.aborted) return;
      refused.value = refusedOf(error);
    } finally {
      isSending.value = false;
    }
  };
  const latest = useRef('');
  latest.current = JSON.stringify(names);
  useEffect(() => { refused.value = undefined; }, [latest.current]);
  return (
    <>
      {dataset !== undefined && <p class="data-stored"><span aria-hidden="true">✓</span> {storedText(dataset)}</p>}
      <div><button type="button" aria-disabled={isSending.value} hidden={dataset !== undefined} onClick={() => { if (!isSending.value) void upload(); }}>{isSending.value ? 'Uploading …' : 'Upload the rows'}</button></div>
      {refused.value !== undefined && (
        <div role="alert" class="problem">
          <p>{refused.value.message}</p>
          {refused.value.faults.length > 0 && <ul class="data-faults">{refused.value.faults.map(({ line, problem }) => <li key={`${line} ${problem}`}><strong>{format === 'json' ? 'Row' : 'Line'} {line}</strong> {problem}</li>)}</ul>}
        </div>
      )}
    </>
  );
}

function storedText({ rows, groups, bytes }: Dataset): string {
  return `${groupDigits(rows)} ${rows === 1 ? 'row' : 'rows'}${groups > 0 ? ` in ${groupDigits(groups)} ${groups === 1 ? 'group' : 'groups'}` : ''}, ${groupDigits(bytes)} bytes, are stored.`;
}

function refusedOf(error: unknown): Refused {
  if (!(error instanceof CompareError)) return { message: 'The file could not be read.', faults: [] };
  const given: unknown = factsOf(error.details)['faults'];
  const faults = (Array.isArray(given) ? given as unknown[] : []).map(factsOf).flatMap(({ line, problem }) => (typeof line === 'number' && typeof problem === 'string' ? [{ line, problem }] : []));
  return { message: faults.length > 0 ? 'Nothing was stored. The file has these faults:' : error.message, faults };
}
