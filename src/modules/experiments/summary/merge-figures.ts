/** One attempt of a row, or all of them merged. */
export interface AttemptFigures {
  rowNo: number;
  rowId: string;
  group: string | null;
  content: string;
  figures: number[] | null;
}

/**
 * Merges the attempts of each row, which follow one another, into one: of each model, the figures of the last attempt
 * in which it answered count.
 */
export function mergeAttempts(attempts: readonly AttemptFigures[], modelCount: number): AttemptFigures[] {
  const merged: AttemptFigures[] = [];
  for (const attempt of attempts) {
    const before = merged.at(-1);
    if (before?.rowNo === attempt.rowNo) before.figures = latest(before.figures, attempt.figures, modelCount);
    else merged.push({ ...attempt });
  }
  return merged;
}

function latest(before: number[] | null, after: number[] | null, modelCount: number): number[] | null {
  if (before === null || after === null) return after ?? before;
  const width = after.length / modelCount;
  // The first figure of a model is the number of its answers.
  return after.map((_, index) => {
    const first = index - (index % width);
    return ((after[first] ?? 0) > 0 ? after[index] : before[index]) ?? NaN;
  });
}
