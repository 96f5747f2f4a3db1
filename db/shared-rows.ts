import { type RawBuilder, sql } from 'kysely';

/** Rows as two JSON parameters: `each` has what differs among them, `shared` what all of them have in common, which is written and read once. */
export interface SharedRows {
  readonly each: string;
  readonly shared: string;
}

/** What is undefined is absent, and read as null. */
export function packRows(rows: readonly Readonly<Record<string, unknown>>[]): SharedRows {
  const [first = {}] = rows;
  const common = new Set(Object.keys(first).filter((name) => rows.every((row) => row[name] === first[name])));
  const partOf = (row: Readonly<Record<string, unknown>>, isCommon: boolean): object => {
    const part: Record<string, unknown> = {};
    for (const name in row) if (common.has(name) === isCommon) part[name] = row[name];
    return part;
  };
  return { each: JSON.stringify(rows.map((row) => partOf(row, false))), shared: JSON.stringify(partOf(first, true)) };
}

/** The rows again, as a query. `columns`: names and types, as in `id uuid, email text`; `each` and `shared`: the parameters, as in `$1`. */
export function unpackedRows(columns: string, { each, shared }: SharedRows): RawBuilder<unknown> {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  const taken = names.map((name) => `coalesce(e.${name}, s.${name}) as ${name}`);
  return sql.raw(
    `select ${taken.join(', ')} from json_to_record(${shared}::json) as s(${columns}) cross join json_to_recordset(${each}::json) as e(${columns})`,
  );
}
