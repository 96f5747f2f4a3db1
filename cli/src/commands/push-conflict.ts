import { differingParts, type Parts, partsOf } from '../files/parts.ts';
import type { There } from './content-work.ts';

/** What the server had when the files were changed. */
export interface Before {
  /** How that is known: by the last pull or push of this folder, or by a commit. */
  readonly from: 'pull' | 'base';
  /** Undefined: it had none, or nobody knows. */
  readonly parts: Parts | undefined;
  /** What later commits had: a push of one of them, which failed midway, may have put that there. */
  after(): Promise<readonly Parts[]>;
}

/**
 * Why a push would undo what somebody did on the server; undefined where it would not. A part that the server has as the files say, or as it was
 * before, is nobody's change: so a push that was interrupted is no conflict for the next one.
 */
export async function conflictOf(
  name: string,
  here: object,
  there: There | undefined,
  { from, parts, after }: Before,
  endangered: string | undefined,
): Promise<string | undefined> {
  if (!there) return undefined;
  if (endangered !== undefined) return `${endangered}; publish or replace that first, or push with --force`;
  const mine = partsOf(here);
  const theirs = partsOf(there.model);
  let undone = differingParts(theirs, mine).filter((part) => theirs[part] !== parts?.[part]);
  if (undone.length > 0) {
    const later = await after();
    undone = undone.filter((part) => later.every((one) => theirs[part] !== one[part]));
  }
  if (undone.length === 0) return undefined;
  if (!parts)
    return from === 'base'
      ? `the server has a ${name} and the base has none: pull it, or push with --force`
      : `the server has a ${name} that was never pulled into this folder: pull it, or push with --force (in CI: --base)`;
  const own = differingParts(mine, parts).filter((part) => mine[part] !== theirs[part]);
  const inBoth = undone.filter((part) => own.includes(part));
  const since = from === 'base' ? 'since the base' : 'since the last pull';
  const pulled = from === 'base' ? 'pull it into git' : own.length === 0 ? 'pull it' : 'pull it into another folder (--dir)';
  return [
    `somebody has changed it on the server ${since}: ${undone.join(', ')}.`,
    inBoth.length > 0
      ? `Your files change ${inBoth.join(', ')} too.`
      : own.length > 0
        ? `Your files change only ${own.join(', ')}, but a push would put back the old ${undone.join(', ')}.`
        : 'Your files have no change of their own.',
    `${capital(pulled)}${own.length > 0 ? ' and merge the two' : ''}, or push with --force to overwrite the change on the server`,
    ...(from === 'base' ? ['(if the push of the base failed or never ran, give --base the last commit that was pushed completely)'] : []),
  ].join(' ');
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
