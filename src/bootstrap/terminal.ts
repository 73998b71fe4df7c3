import { OperatorError } from '../common/operator-error';
import { environmentVariables } from '../platform/config/process-environment';
import { registerSecrets, redact } from '../platform/observability/redaction';
import { readSettingFiles } from '../platform/config/setting-files';
import { explainDatabaseError } from '../platform/database/explain-database-error';

// A full disk must not end the process.
process.stderr.on('error', () => undefined);

/** Prints a line for the person at the terminal. */
export function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A number of things, such as `1 connection` or `2 connections`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? noun : plural}`;
}

/** Lines of aligned columns; the last column is as wide as its text. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * The text to print for an error that ends the process: one sentence, with its stack only where LOG_LEVEL asks for it.
 */
export function explainError(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const { variables } = readSettingFiles(environmentVariables());
  registerSecrets(variables);
  if (['debug', 'trace'].includes(variables['LOG_LEVEL'] ?? '')) return redact(stack ?? message);
  return explainDatabaseError(error) ?? `${redact(message)} (LOG_LEVEL=debug shows where this comes from.)`;
}
