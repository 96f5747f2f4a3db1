import type { SegmentFilter } from './segment.ts';

/** What of a contact decides about segments. */
export interface SegmentSubject {
  readonly status: string;
  readonly tags: readonly string[];
  readonly source: string;
  readonly brand_id: string;
}

/**
 * Whether one contact is in a segment as far as its own fields say; a filter's `where` is judged as every condition is. The same rule as the
 * SQL that counts and lists (db/queries/segments/segment-filter.ts).
 */
export function isInSegment(
  contact: SegmentSubject,
  { filter, brand_id }: { readonly filter: SegmentFilter; readonly brand_id: string | null },
): boolean {
  const { status, tags, source } = filter;
  if (brand_id !== null && contact.brand_id !== brand_id) return false;
  if (source != null && contact.source !== source) return false;
  if (status != null && !([status].flat() as string[]).includes(contact.status)) return false;
  return tags == null || tags.every((tag) => contact.tags.includes(tag));
}
