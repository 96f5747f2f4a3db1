/** The rows of each owner, in their order and without the column that names it. An owner that has none has an empty list. */
export function groupedBy<Column extends string, Row extends Readonly<Record<Column, string>>>(
  owners: readonly string[],
  column: Column,
  rows: readonly Row[],
): Map<string, Omit<Row, Column>[]> {
  const grouped = new Map<string, Omit<Row, Column>[]>(owners.map((owner) => [owner, []]));
  for (const { [column]: owner, ...row } of rows) grouped.get(owner)?.push(row);
  return grouped;
}
