import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Token, type Tokens } from 'marked';
import { PAGE_NAMES } from '../../api/documentation/contents.ts';
import { type Fence, parseFence } from '../../api/documentation/fence.ts';

/** A block of code of a page. */
export interface GuideBlock extends Fence {
  readonly page: string;
  readonly code: string;
  /** Where to look when it fails. */
  readonly place: string;
}

const FOLDER = fileURLToPath(new URL('../../docs/', import.meta.url));

/** For who works on Everpost, read in the repository. */
const FOR_DEVELOPERS = ['README', 'architecture'];

/** The names of the pages in docs/ that /docs shows. */
export function guideNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => basename(file, '.md'))
    .filter((name) => !FOR_DEVELOPERS.includes(name));
}

/** Pages whose blocks another test than that of the guides runs. */
export const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  clients: 'test/clients/typescript/package.test.ts',
  'content-as-code': 'test/clients/cli/guide.test.ts',
  logs: 'test/operators/logs.test.ts',
  recipes: 'test/clients/nodemailer/recipes.test.ts',
  operations: 'test/db/operations/operations-sql.test.ts',
  'temporal-web': 'test/operators/temporal-web.test.ts',
};

/** The pages whose blocks the test of the guides runs. */
export const RUN_PAGES = PAGE_NAMES.filter((page) => !(page in RUN_ELSEWHERE));

export function guideText(page: string): string {
  return readFileSync(`${FOLDER}${page}.md`, 'utf8');
}

/** Every token of a page, those within others too. */
export function guideTokens(page: string): Token[] {
  const found: Token[] = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(guideText(page)), (token) => void found.push(token));
  return found;
}

/** In the order of the page. */
export function guideBlocks(page: string): GuideBlock[] {
  const blocks = guideTokens(page).filter((token): token is Tokens.Code => token.type === 'code');
  return blocks.map(({ text, lang }, index) => {
    const fence = parseFence(lang ?? '');
    return { ...fence, page, code: text, place: `docs/${page}.md, block ${index + 1} (${fence.title || fence.language})` };
  });
}

/** The cells of each row of the table whose head begins so, as they are written. */
export function guideTable(page: string, firstHead: string): string[][] {
  const table = guideTokens(page).find((token): token is Tokens.Table => token.type === 'table' && token.header[0]?.text === firstHead);
  if (!table) throw new Error(`docs/${page}.md has no table ${firstHead}`);
  return table.rows.map((row) => row.map(({ text }) => text));
}

const MADE_UP: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, '<instant>'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, '<secret>'],
];

/**
 * What a page shows and what came, so that they are equal when the page tells the truth: ids, instants and secrets are alike, and `…` in the
 * page stands for any text, at the end of one for any rest.
 */
export function comparable(shown: unknown, came: unknown): { shown: unknown; came: unknown } {
  return { shown: alike(filled(shown, came)), came: alike(came) };
}

function filled(shown: unknown, came: unknown): unknown {
  if (typeof shown === 'string') {
    return shown.endsWith('…') && typeof came === 'string' && came.startsWith(shown.slice(0, -1)) ? came : shown;
  }
  if (Array.isArray(shown)) return shown.map((member, index) => filled(member, Array.isArray(came) ? came[index] : undefined));
  if (typeof shown !== 'object' || shown === null) return shown;
  const other = (typeof came === 'object' && came !== null ? came : {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, filled(value, other[key])]));
}

function alike(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, member) =>
    typeof member === 'string' ? MADE_UP.reduce((text, [pattern, name]) => text.replace(pattern, name), member) : member,
  );
}
