import { DefaultQueryCompiler } from 'kysely';
import { Client, type Connection, type FieldDef, type Submittable } from 'pg';

/** How many rows each statement seems to give, and what stands in them. */
export type Answers = 'nothing' | 'nulls' | 'values';

/** What was asked of the database since the statements are only prepared. */
export interface PreparedStatements {
  /** What PostgreSQL says of those that it refuses, by their text. */
  readonly refused: ReadonlyMap<string, string>;
  /** Of each piece of SQL text that became part of a statement the strings between its parameters: one object for each place in the code. */
  readonly pieces: ReadonlySet<readonly string[]>;
  answer(answers: Answers): void;
}

/** So many statements of one call are answered: a loop until nothing is left would not end. */
const MOST_OF_A_CALL = 30;

/**
 * From here on every statement of this process is prepared and not run: PostgreSQL checks its names and types and describes its result, of
 * which a row is made up.
 */
export async function prepareOnly(databaseUrl: string): Promise<PreparedStatements> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const send = Client.prototype.query as (this: Client, ...given: unknown[]) => unknown;
  const described = new Map<string, Promise<readonly FieldDef[]>>();
  const refused = new Map<string, string>();
  const pieces = new Set<readonly string[]>();
  let kind: Answers = 'nothing';
  let left = 0;

  const describe = (text: string): Promise<readonly FieldDef[]> => {
    const known = described.get(text);
    if (known) return known;
    const asked = new Promise<readonly FieldDef[]>((resolve, reject) => send.call(client, new Description(text, resolve, reject)));
    asked.catch((error: Error) => refused.set(text, error.message));
    described.set(text, asked);
    return asked;
  };
  const answer = async (text: string) => {
    const fields = await describe(text);
    if (left-- <= 0) throw new Error('a call that asks without end');
    const rows =
      kind === 'nothing'
        ? []
        : [Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, kind === 'nulls' ? null : madeUp(dataTypeID)]))];
    return { rows, rowCount: rows.length, command: text.trimStart().split(/\s/)[0]!.toUpperCase(), fields };
  };

  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [asked, values] = given;
    // Settings of a connection.
    if (typeof asked === 'string' && !Array.isArray(values)) return send.apply(this, given) as never;
    const answered = answer(typeof asked === 'string' ? asked : (asked as { text: string }).text);
    const done = given.find((one) => typeof one === 'function') as ((error: unknown, result?: unknown) => void) | undefined;
    if (!done) return answered as never;
    answered.then((result) => done(null, result), done);
    return undefined as never;
  };
  const compile = DefaultQueryCompiler.prototype.compileQuery;
  DefaultQueryCompiler.prototype.compileQuery = function (this: DefaultQueryCompiler, ...given) {
    for (const piece of piecesOf(given[0])) pieces.add(piece);
    return compile.apply(this, given);
  };
  return {
    refused,
    pieces,
    answer(answers) {
      kind = answers;
      left = MOST_OF_A_CALL;
    },
  };
}

/** Asks PostgreSQL to parse a statement and to describe what it gives. */
class Description implements Submittable {
  readonly #text: string;
  readonly #resolve: (fields: readonly FieldDef[]) => void;
  readonly #reject: (error: Error) => void;
  #fields: readonly FieldDef[] = [];

  constructor(text: string, resolve: (fields: readonly FieldDef[]) => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    connection.parse({ text: this.#text, name: '', types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#fields = fields;
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#fields);
  }
}

/** Values of the types that columns have, by the type's number in PostgreSQL; a text for all others, long enough to be searched for. */
const VALUES: Readonly<Record<number, unknown>> = {
  16: true,
  17: Buffer.from('x'),
  20: 1,
  21: 1,
  23: 1,
  114: {},
  1009: ['x'],
  1184: new Date(0),
  2950: '00000000-0000-7000-8000-000000000001',
  2951: ['00000000-0000-7000-8000-000000000001'],
  3802: {},
};

function madeUp(type: number): unknown {
  return type in VALUES ? VALUES[type] : 'text';
}

function* piecesOf(node: unknown): Generator<readonly string[]> {
  if (typeof node !== 'object' || node === null) return;
  if ('kind' in node && node.kind === 'RawNode') yield (node as unknown as { sqlFragments: readonly string[] }).sqlFragments;
  if ('kind' in node || Array.isArray(node)) for (const part of Object.values(node)) yield* piecesOf(part);
}
