import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CompareError, type EvalSummary } from '../../client/client';
import { evalsAsCsv, evalsAsJsonl } from '../../client/evals-export';
import { announce } from '../parts/notices';
import { client } from '../session';
import { saveFile } from '../usage/save-file';
import { found, query } from './history-state';

const FORMATS = {
  CSV: { of: evalsAsCsv, name: 'evals.csv', type: 'text/csv' },
  JSONL: { of: evalsAsJsonl, name: 'evals.jsonl', type: 'application/jsonl' },
} as const;

/** Saves all evals of the search as a file, read page by page, with a way to stop. */
export function ExportButtons() {
  const count = useSignal<number | undefined>(undefined);
  const problem = useSignal('');
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(new Error('The screen was left.')), []);
  const save = async ({ of, name, type }: (typeof FORMATS)[keyof typeof FORMATS]): Promise<void> => {
    const stopped = (stop.current = new AbortController());
    [count.value, problem.value] = [0, ''];
    try {
      const parts: string[] = [];
      for await (const part of of(counted(found(client(), query.peek(), stopped.signal), count))) parts.push(part);
      if (!stopped.signal.aborted) saveFile(name, type, parts.join(''));
      announce(`${count.peek()} evals saved`);
    } catch (error) {
      if (!stopped.signal.aborted) problem.value = exportProblem(error);
    } finally {
      count.value = undefined;
    }
  };
  return (
    <span class="history-export" role="group" aria-label="Export the search">
      {count.value === undefined ? (
        Object.entries(FORMATS).map(([name, format]) => (
          <button
            key={name}
            type="button"
            title={`Save all evals of this search as ${name}`}
            onClick={() => void save(format)}
          >
            {name}
          </button>
        ))
      ) : (
        <>
          <span class="quiet">{count.value} evals …</span>
          <button type="button" onClick={() => stop.current?.abort(new Error('Stopped.'))}>
            Stop
          </button>
        </>
      )}
      <span class="problem" role="alert">
        {problem.value}
      </span>
    </span>
  );
}

async function* counted(
  evals: AsyncIterable<EvalSummary>,
  count: Signal<number | undefined>,
): AsyncGenerator<EvalSummary> {
  for await (const each of evals) {
    count.value = (count.peek() ?? 0) + 1;
    yield each;
  }
}

function exportProblem(error: unknown): string {
  if (!(error instanceof CompareError)) throw error;
  return error.retryAfter === undefined ? error.message : `${error.message} Try again in ${error.retryAfter} s.`;
}
