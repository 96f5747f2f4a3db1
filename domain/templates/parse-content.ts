import { type Issue, MAX_ISSUES } from '../errors.ts';
import { issuesOf } from '../issues.ts';
import { type Block, BlockContent, CONTENT_LIMITS, type Content, contentJson, contentTooLarge, isMjml, MjmlContent } from './content.ts';
import { liquidIssues } from './content-liquid.ts';

export type ParsedContent = { readonly content: Content; readonly issues?: never } | { readonly issues: readonly Issue[] };

/** Content that can be compiled, or everything that is wrong with it, each problem with its path under `root`. */
export function parseContent(value: unknown, root = 'content'): ParsedContent {
  if (contentJson(value) === undefined) {
    return { issues: [contentTooLarge(value, root)] };
  }
  const parsed = isMjml(value) ? MjmlContent.safeParse(value) : BlockContent.safeParse(value);
  const issues = parsed.success ? [] : issuesOf(parsed.error, root);
  if (typeof value === 'object' && value !== null) {
    const { blocks } = value as BlockContent;
    if (Array.isArray(blocks) && blocks.length <= CONTENT_LIMITS.blocks && countBlocks(blocks) > CONTENT_LIMITS.blocks) {
      issues.push({ path: `${root}.blocks`, message: `at most ${CONTENT_LIMITS.blocks} blocks, those in columns counted` });
    }
    issues.push(...liquidIssues(value as Content, root, new Set(issues.map(({ path }) => path))));
  }
  return parsed.success && issues.length === 0
    ? { content: parsed.data }
    : { issues: inDocumentOrder(issues.slice(0, MAX_ISSUES), value, root) };
}

/** Also of blocks that their schema refuses. */
function countBlocks(blocks: readonly Block[]): number {
  return blocks.reduce(
    (sum, block) => sum + 1 + (block?.type === 'columns' ? sumOf(block.columns, (column) => column?.blocks?.length) : 0),
    0,
  );
}

function sumOf<T>(list: readonly T[], of: (member: T) => number | undefined): number {
  return Array.isArray(list) ? list.reduce((sum, member) => sum + (Number(of(member)) || 0), 0) : 0;
}

/** By where each path stands in the value as it was written; a field that is missing comes after those that are there. */
function inDocumentOrder(issues: readonly Issue[], value: unknown, root: string): Issue[] {
  const placed = issues.map((issue) => ({ issue, place: placeOf(issue.path.slice(root.length), value) }));
  return placed.sort((left, right) => comparePlaces(left.place, right.place)).map(({ issue }) => issue);
}

function placeOf(path: string, value: unknown): number[] {
  let at = value;
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((name) => {
      const index = typeof at === 'object' && at !== null ? Object.keys(at).indexOf(name) : -1;
      at = index < 0 ? undefined : (at as Record<string, unknown>)[name];
      return index < 0 ? Number.MAX_SAFE_INTEGER : index;
    });
}

function comparePlaces(left: readonly number[], right: readonly number[]): number {
  const differs = left.findIndex((place, index) => place !== right[index]);
  return differs < 0 ? left.length - right.length : left[differs]! - (right[differs] ?? -1);
}
