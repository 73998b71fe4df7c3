/**
 * A line of CSV (RFC 4180). Spreadsheets treat a cell that begins with =, +, -, @ or their full-width forms, also after
 * blanks, or with a tab or line break as a formula, so such text gets an apostrophe; numbers keep their sign.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = /^(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
