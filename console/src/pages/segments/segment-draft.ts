import type { Schemas } from '../../api/client.ts';
import type { ContactStatus } from '../contacts/contact-status.ts';
import { fromDraft, type GroupDraft, toDraft } from './condition-draft.ts';
import type { Segment, SegmentFilter } from './segment-queries.ts';

/** A segment while it is edited. */
export interface SegmentDraft {
  readonly label: string;
  /** The slug; null: contacts of every brand. Fixed once the segment is saved. */
  readonly brand: string | null;
  readonly statuses: readonly ContactStatus[];
  readonly tags: readonly string[];
  readonly source: string;
  readonly where: GroupDraft;
}

export function draftOfSegment(segment?: Segment): SegmentDraft {
  const { status, tags, source, where } = segment?.filter ?? {};
  return {
    label: segment?.label ?? '',
    brand: segment?.brand_id ?? null,
    statuses: status ? [status].flat() : [],
    tags: tags ?? [],
    source: source ?? '',
    where: toDraft(where),
  };
}

/** What is to be sent; `isComplete`: nothing is still to be filled in. */
export function filterOf({ statuses, tags, source, where }: SegmentDraft): {
  readonly filter: SegmentFilter;
  readonly isComplete: boolean;
} {
  const { condition, isComplete } = fromDraft(where);
  return {
    isComplete,
    filter: {
      ...(statuses.length > 0 ? { status: [...statuses] } : {}),
      ...(tags.length > 0 ? { tags: [...tags] } : {}),
      ...(source.trim() ? { source: source.trim() } : {}),
      ...(condition ? { where: condition } : {}),
    },
  };
}

/** Only what differs from the segment, so that what others changed meanwhile stays. */
export function segmentChanges(draft: SegmentDraft, segment: Segment): Schemas['SegmentChange'] {
  const { filter } = filterOf(draft);
  const isSame = JSON.stringify(filter) === JSON.stringify(filterOf(draftOfSegment(segment)).filter);
  return { ...(draft.label.trim() === segment.label ? {} : { label: draft.label }), ...(isSame ? {} : { filter }) };
}

/** What is missing, by the name in the request. */
export function segmentFaults(draft: SegmentDraft): Readonly<Record<string, string | undefined>> {
  return {
    label: draft.label.trim() ? undefined : 'Enter a name',
    'filter.where': filterOf(draft).isComplete ? undefined : 'Complete or remove each rule',
  };
}
