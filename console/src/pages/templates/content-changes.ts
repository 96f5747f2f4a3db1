import { isObject } from '../../json.ts';
import { someOf } from '../../letters.ts';
import { BLOCK_KINDS } from './block-fields.ts';
import { type Block, partsOf, type TemplateContent } from './template-queries.ts';

/** What a version says. */
export interface Said {
  /** Liquid; undefined where it is not known: then it is not compared. */
  readonly subject: string | undefined;
  readonly content: TemplateContent;
}

const MOST_LISTED = 5;

/** A line for each sort of change from one version to a later one, like `added Text “Hello”`; none when both say the same. */
export function contentChanges(before: Said, after: Said): readonly string[] {
  const [was, is] = [partsOf(before.content), partsOf(after.content)];
  const { added, removed, changed, moved } = blockChanges(was.blocks, is.blocks);
  const isSubjectKnown = before.subject !== undefined && after.subject !== undefined;
  return [
    isSubjectKnown ? textChange('subject', before.subject, after.subject) : '',
    textChange('preheader', was.preheader, is.preheader),
    mjmlChange(was.mjml, is.mjml),
    blockLine('added', added),
    blockLine('removed', removed),
    blockLine('changed', changed),
    blockLine('moved', moved),
  ].filter(Boolean);
}

function mjmlChange(before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  if (before === undefined) return 'now written in MJML';
  return after === undefined ? 'no longer written in MJML' : 'changed the MJML';
}

function textChange(name: string, before: string | null | undefined, after: string | null | undefined): string {
  const words = (text: string | null | undefined): string => (text ? `“${text}”` : 'none');
  return (before ?? '') === (after ?? '') ? '' : `${name}: was ${words(before)}, now ${words(after)}`;
}

function blockLine(what: string, blocks: readonly Block[]): string {
  return blocks.length === 0 ? '' : `${what} ${someOf(blocks.map(blockName), MOST_LISTED)}`;
}

const LONGEST_NAME = 40;

/** Its kind and the first thing that it says. */
function blockName(block: Block): string {
  const { label, fields } = BLOCK_KINDS[block.type];
  const values = block as unknown as Readonly<Record<string, unknown>>;
  const said = fields.map(({ name }) => values[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof said !== 'string') return label;
  return `${label} “${said.length > LONGEST_NAME ? `${said.slice(0, LONGEST_NAME)}…` : said}”`;
}

interface BlockChanges {
  readonly added: Block[];
  readonly removed: Block[];
  /** As they are now. */
  readonly changed: Block[];
  readonly moved: Block[];
}

/** Blocks have no names: those in the longest common order are the same, and one in the place of another of its kind is that, changed. */
function blockChanges(before: readonly Block[], after: readonly Block[]): BlockChanges {
  const [old, now] = [before.map(canonical), after.map(canonical)];
  const gaps = differingRuns(old, now);
  const gone = gaps.flatMap(({ from }) => from.map((at) => old[at]!));
  const changes: BlockChanges = { added: [], removed: [], changed: [], moved: [] };
  const movedTexts = new Set<string>();
  for (const at of gaps.flatMap(({ to }) => to)) {
    const text = now[at]!;
    const found = gone.indexOf(text);
    if (found === -1) continue;
    gone.splice(found, 1);
    movedTexts.add(text);
    changes.moved.push(after[at]!);
  }
  for (const { from, to } of gaps) {
    const left = from.filter((at) => !movedTexts.has(old[at]!)).map((at) => before[at]!);
    for (const block of to.filter((at) => !movedTexts.has(now[at]!)).map((at) => after[at]!)) {
      const was = left.findIndex(({ type }) => type === block.type);
      if (was === -1) changes.added.push(block);
      else {
        left.splice(was, 1);
        changes.changed.push(block);
      }
    }
    changes.removed.push(...left);
  }
  return changes;
}

/** The same text for the same value, in whichever order its members are written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/** What is between the members of the longest common subsequence: places in both lists. */
function differingRuns(old: readonly string[], now: readonly string[]): { readonly from: number[]; readonly to: number[] }[] {
  // The length of the longest one from each pair of places on.
  const longest = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i]![j] = old[i] === now[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const runs = [{ from: [] as number[], to: [] as number[] }];
  for (let [i, j] = [0, 0]; i < old.length || j < now.length; ) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      runs.push({ from: [], to: [] });
      i += 1;
      j += 1;
    } else if (j === now.length || (i < old.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) runs.at(-1)!.from.push(i++);
    else runs.at(-1)!.to.push(j++);
  }
  return runs;
}
