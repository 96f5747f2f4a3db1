import * as z from 'zod';
import { boundedArray } from './bounded-array.ts';
import { CONTACT_STATUSES } from './contact.ts';

const Status = z.enum(CONTACT_STATUSES);

/** Which contacts a segment has; every given member must match, {} matches all. A typo would widen an audience, so nothing else is taken. */
export const SegmentFilter = z
  .strictObject({
    status: z
      .union([Status, boundedArray(Status, CONTACT_STATUSES.length).min(1, { error: 'at least one status' })])
      .nullish()
      .meta({ description: 'One status, or any of several' }),
    tags: boundedArray(z.string().min(1, { error: '1 to 64 characters' }).max(64, { error: '1 to 64 characters' }), 100, {
      error: 'at most 100 tags',
    })
      .min(1, { error: 'at least one tag' })
      .nullish()
      .meta({ description: 'Contacts that carry all of them' }),
    source: z.string().max(200, { error: 'at most 200 characters' }).nullish().meta({ description: 'Exact' }),
  })
  .meta({ id: 'SegmentFilter' });
export type SegmentFilter = z.infer<typeof SegmentFilter>;
