type Row = Readonly<Record<string, unknown>>;

/** Columns wider than this would break the table for nothing. */
const MAX_WIDTH = 60;

/** Lists as a table, a record as one line a field. */
export function readable(result: unknown): string {
  if (Array.isArray(result)) return result.length === 0 ? 'none' : table(result as Row[]);
  const fields = Object.entries(result as Row);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${cell(value) || 'none'}`).join('\n');
}

function table(rows: readonly Row[]): string {
  // What no row has says nothing.
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => cell(row[name]) !== ''));
  // The last one has nothing beside it that its width could push away.
  const last = names.length - 1;
  const lines = [
    names,
    ...rows.map((row) => names.map((name, column) => (column === last ? cell(row[name]) : shortened(cell(row[name]))))),
  ];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(',') : String(value).replace(/\s+/g, ' ');
}

function shortened(text: string): string {
  return text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH - 1)}…` : text;
}
