import type { ExperimentRow } from '../../client/client';
import { ModelName } from '../compare/models/model-mark';
import { Dialog } from '../parts/dialog';
import { evalPath } from '../routes';
import type { Outcome } from './words';

/** The parts of a row that a shared experiment has too. */
export type MatrixRow = Pick<ExperimentRow, 'row_no' | 'row_id' | 'input' | 'expected' | 'results'> &
  Partial<Pick<ExperimentRow, 'eval_id' | 'state' | 'error'>>;

export const SIGNS: Readonly<Record<Outcome['kind'], string>> = {
  passed: '✓',
  failed: '✗',
  mixed: '±',
  undecided: '○',
  missing: '–',
};

interface RowDialogProps {
  row: MatrixRow;
  models: readonly string[];
  next: number | undefined;
  onNext: (rowNo: number) => void;
  onClose: () => void;
}

/** The whole answers of a row. */
export function RowDialog({ row, models, next, onNext, onClose }: RowDialogProps) {
  const { row_no: no, row_id: rowId, input, expected, results, eval_id: evalId } = row;
  return (
    <Dialog title={`Row ${no + 1}: ${rowId}`} class="dialog-side" onClose={onClose}>
      {input !== null && (
        <p class="experiment-text" dir="auto">
          {input}
        </p>
      )}
      {expected !== null && <p dir="auto">Expected: {expected}</p>}
      {byModels(results, models).map(({ model, output, passed, error, sample }) => (
        <section key={`${model} ${sample ?? 0}`} class="matrix-whole">
          <h3>
            {passed === null ? SIGNS.undecided : passed ? SIGNS.passed : SIGNS.failed}{' '}
            <ModelName model={model} models={models} />
          </h3>
          <p class="experiment-text" dir="auto">
            {error === undefined ? output : error.message}
          </p>
        </section>
      ))}
      <div class="dialog-foot">
        {evalId !== undefined && evalId !== null && <a href={evalPath(evalId)}>The eval of this row</a>}
        {next !== undefined && (
          <button type="button" class="button-primary" onClick={() => onNext(next)}>
            Next row
          </button>
        )}
      </div>
    </Dialog>
  );
}

function byModels(results: MatrixRow['results'], models: readonly string[]): MatrixRow['results'] {
  return results.toSorted((left, right) => models.indexOf(left.model) - models.indexOf(right.model));
}
