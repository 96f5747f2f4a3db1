import type { Position } from '../db/cursor-page.ts';
import { Refusal } from '../domain/errors.ts';
import type { Vault } from '../domain/projects/crypto.ts';

/** What a cursor is bound to: used with another project, list or filter it is refused. */
export interface CursorScope {
  readonly projectId: string;
  readonly list: string;
  readonly filter: object;
}

const PURPOSE = 'cursor';

/** An opaque, signed text for a place in a list; null at the end. */
export function writeCursor(vault: Vault, scope: CursorScope, position: Position | undefined): string | null {
  if (!position) return null;
  const place = Buffer.from(`${position.createdAt.getTime()}.${position.id}`).toString('base64url');
  return `${place}.${vault.sign(PURPOSE, signed(place, scope))}`;
}

/** Throws invalid_cursor for one that was tampered with or belongs to another list. */
export function readCursor(vault: Vault, scope: CursorScope, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [place, signature, ...rest] = cursor.split('.');
  if (!place || !signature || rest.length > 0 || !vault.verify(PURPOSE, signed(place, scope), signature)) {
    throw new Refusal('invalid_cursor', 'the cursor does not belong to this list and these filters; start again without it');
  }
  const [time, id] = Buffer.from(place, 'base64url').toString().split('.') as [string, string];
  return { createdAt: new Date(Number(time)), id };
}

function signed(place: string, { projectId, list, filter }: CursorScope): string {
  const filters = Object.entries(filter).filter(([, value]) => value !== undefined && value !== null);
  return JSON.stringify([projectId, list, filters.sort(([a], [b]) => (a < b ? -1 : 1)), place]);
}
