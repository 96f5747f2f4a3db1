import { openDatabase } from '../../db/orm.ts';
import { EVERY_QUERY } from './every-query.ts';
import { prepareOnly } from './prepare-only.ts';

/** What this program prints, as JSON. */
export interface PreparedQueries {
  /** What PostgreSQL says of the statements that it refuses, by their text. */
  readonly refused: Readonly<Record<string, string>>;
  /** Of each SQL text that became part of a statement the strings between its parameters. */
  readonly pieces: readonly (readonly string[])[];
}

/**
 * Has PostgreSQL prepare every statement of db/ on a migrated database, whose URL it is given. A program, since the text of a prepared statement
 * is made once in a process: here nobody has asked before.
 */
const [, , url = ''] = process.argv;
const orm = await openDatabase({ url, poolSize: 4, applicationName: 'everpost-test' });
const statements = await prepareOnly(url);
for (const call of EVERY_QUERY) {
  for (const answers of ['nothing', 'nulls', 'values'] as const) {
    statements.answer(answers);
    // A row that was made up may be refused: what counts is what was asked until then.
    await call(orm.em.fork()).catch(() => undefined);
  }
}
const prepared: PreparedQueries = { refused: Object.fromEntries(statements.refused), pieces: [...statements.pieces] };
process.stdout.write(JSON.stringify(prepared), () => process.exit(0));
