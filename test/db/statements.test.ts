import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { createMigrated } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';
import { EVERY_QUERY } from '../support/every-query.ts';
import { type PreparedStatements, prepareOnly } from '../support/prepare-only.ts';

const DB = fileURLToPath(new URL('../../db', import.meta.url));

let orm: MikroORM;
let statements: PreparedStatements;

beforeAll(async () => {
  const url = await createMigrated(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 4, applicationName: 'everpost-test' });
  statements = await prepareOnly(url);
  for (const call of EVERY_QUERY) {
    for (const answers of ['nothing', 'nulls', 'values'] as const) {
      statements.answer(answers);
      // A row that was made up may be refused: what counts is what was asked until then.
      await call(orm.em.fork()).catch(() => undefined);
    }
  }
});

afterAll(async () => {
  await statements.close();
  await orm.close();
});

test('PostgreSQL prepares every statement of db/ on the migrated database', () => {
  expect(Object.fromEntries(statements.refused)).toEqual({});
});

test('no SQL text of db/ stays out of that', () => {
  const prepared = Map.groupBy(statements.pieces, textOf);
  const named = writtenPieces().filter(({ fragments }) => namesSomething(textOf(fragments)));
  const written = Map.groupBy(named, ({ fragments }) => textOf(fragments));
  // The same text in two places is prepared for each of them.
  const missing = [...written].filter(([text, places]) => (prepared.get(text)?.length ?? 0) < places.length);
  expect(missing.map(([, places]) => places.map(({ at }) => at).join(' or '))).toEqual([]);
});

function textOf(fragments: readonly string[]): string {
  return fragments.join('?');
}

/** Whether there is more in it than what holds other pieces together. */
function namesSomething(text: string): boolean {
  return /\w/.test(text.replace(/\b(true|and|or|union all)\b/g, ''));
}

interface WrittenPiece {
  /** File and line. */
  readonly at: string;
  /** The strings between its parameters. */
  readonly fragments: readonly string[];
}

/** Each SQL text of the code, which is a template with the tag `sql`. */
function writtenPieces(): WrittenPiece[] {
  const files = readdirSync(DB, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files
    .filter((name) => !name.startsWith('migrations/'))
    .flatMap((name) =>
      [...nodesOf(parse(readFileSync(join(DB, name), 'utf8'), { sourceType: 'module', plugins: ['typescript'] }).program)].flatMap(
        (node) =>
          node.type === 'TaggedTemplateExpression' && node.tag.name === 'sql'
            ? [{ at: `db/${name}:${node.loc.start.line}`, fragments: node.quasi.quasis.map(({ value }) => value.cooked) }]
            : [],
      ),
    );
}

/** What is read here of a node of the syntax tree. */
interface SyntaxNode {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly tag: { readonly name?: string };
  readonly quasi: { readonly quasis: readonly { readonly value: { readonly cooked: string } }[] };
}

function* nodesOf(node: unknown): Generator<SyntaxNode> {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node) yield node as SyntaxNode;
  for (const part of Object.values(node)) yield* nodesOf(part);
}
