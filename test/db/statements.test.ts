import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from '@babel/parser';
import { beforeAll, expect, test } from 'vitest';
import { createMigrated } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';
import type { PreparedQueries } from '../support/prepare-every-query.ts';

const DB = fileURLToPath(new URL('../../db', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../support/prepare-every-query.ts', import.meta.url));

let prepared: PreparedQueries;

beforeAll(async () => {
  const url = await createMigrated(testEnvironment().databaseUrl);
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, url], { maxBuffer: 64 * 1024 * 1024 });
  prepared = JSON.parse(stdout);
});

test('PostgreSQL prepares every statement of db/ on the migrated database', () => {
  expect(prepared.refused).toEqual({});
});

test('no SQL text of db/ stays out of that', () => {
  const pieces = Map.groupBy(prepared.pieces, textOf);
  const named = writtenPieces().filter(({ fragments }) => namesSomething(textOf(fragments)));
  const written = Map.groupBy(named, ({ fragments }) => textOf(fragments));
  // The same text in two places is prepared for each of them.
  const missing = [...written].filter(([text, places]) => (pieces.get(text)?.length ?? 0) < places.length);
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
