import type { BlockDraft, ContentDraft } from '../content-draft.ts';

/** What a content was before each change, and what was taken back. */
export interface ContentHistory {
  readonly past: readonly ContentDraft[];
  readonly future: readonly ContentDraft[];
  /** Of the last change: the text that was typed into, and when, in milliseconds since 1970. */
  readonly typed?: { readonly into: string; readonly at: number };
}

export const NO_HISTORY: ContentHistory = { past: [], future: [] };

const MOST_STEPS = 200;
/** A pause in one text that begins a step of its own. */
const PAUSE_MS = 1_000;

/** With a change at that time. What is typed into one text without a pause is one step. */
export function withChange(history: ContentHistory, before: ContentDraft, after: ContentDraft, at: number): ContentHistory {
  const into = typedInto(before, after);
  const { past, typed } = history;
  const goesOn = into !== undefined && typed?.into === into && at - typed.at < PAUSE_MS;
  const changed = goesOn ? { past, future: [] } : withStep(history, before);
  return into === undefined ? changed : { ...changed, typed: { into, at } };
}

/** With a change that is a step of its own, whatever was typed just before. */
export function withStep({ past }: ContentHistory, before: ContentDraft): ContentHistory {
  return { past: [...past, before].slice(-MOST_STEPS), future: [] };
}

/** One step back, and what is shown then; undefined: there is none. */
export function stepBack({ past, future }: ContentHistory, now: ContentDraft): [ContentHistory, ContentDraft] | undefined {
  const before = past.at(-1);
  return before && [{ past: past.slice(0, -1), future: [...future, now] }, before];
}

/** One step forward again; undefined: nothing was taken back. */
export function stepForward({ past, future }: ContentHistory, now: ContentDraft): [ContentHistory, ContentDraft] | undefined {
  const after = future.at(-1);
  return after && [{ past: [...past, now], future: future.slice(0, -1) }, after];
}

/** Which one text is another after a change; undefined where more has changed, or something else. */
function typedInto(before: ContentDraft, after: ContentDraft): string | undefined {
  if (before.blocks !== after.blocks && before.mjml === after.mjml) return typedIntoBlock(before.blocks, after.blocks);
  if (before.mjml !== after.mjml) return before.mjml === undefined || after.mjml === undefined ? undefined : 'mjml';
  return before.subject === after.subject ? 'preheader' : 'subject';
}

function typedIntoBlock(before: readonly BlockDraft[], after: readonly BlockDraft[]): string | undefined {
  if (before.length !== after.length || before.some(({ id }, index) => id !== after[index]?.id)) return undefined;
  const at = before.findIndex((block, index) => block !== after[index]);
  const [was, is] = [before[at], after[at]];
  if (!was || !is) return undefined;
  const column = was.columns.findIndex((blocks, index) => blocks !== is.columns[index]);
  if (column >= 0) return typedIntoBlock(was.columns[column] ?? [], is.columns[column] ?? []);
  const [old, now] = [was.block, is.block] as unknown as Readonly<Record<string, unknown>>[];
  const names = Object.keys(now ?? {}).filter((name) => now?.[name] !== old?.[name]);
  const [name = ''] = names;
  return names.length === 1 && [old?.[name], now?.[name]].every(isText) ? `${is.id} ${name}` : undefined;
}

/** A list is typed as lines. */
function isText(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((line) => typeof line === 'string'));
}
