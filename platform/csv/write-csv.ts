/** What spreadsheets take for a formula when a cell begins with it (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;
/** RFC 4180 2.6. */
const QUOTED = /[",\r\n]/;

/** One row with its line end, by RFC 4180. Before what a spreadsheet would take for a formula stands an apostrophe. */
export function csvRow(cells: readonly (string | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | null): string {
  if (value === null) return '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
