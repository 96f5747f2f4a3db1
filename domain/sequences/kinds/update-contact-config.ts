import * as z from 'zod';
import { boundedArray } from '../../bounded-array.ts';
import { isTag } from '../../contacts/contact.ts';
import { isLocale, isTimeZone } from '../../contacts/locale.ts';
import { JsonValue } from '../../json-value.ts';
import { isLiquidOr } from '../schema-parts.ts';

const name = z.string().max(200, { error: 'at most 200 characters' });
const Tag = z.string().max(200).refine(isLiquidOr(isTag), { error: '1 to 64 characters' });

export const UpdateContactConfig = z
  .strictObject({
    set: z
      .strictObject({
        firstName: name.nullable().optional().meta({ description: 'null clears' }),
        lastName: name.nullable().optional().meta({ description: 'null clears' }),
        displayName: name.nullable().optional().meta({ description: 'null clears' }),
        // Liquid may make the value, so only a plain one can be judged here.
        timezone: z
          .string()
          .max(200)
          .refine(isLiquidOr(isTimeZone), { error: 'not an IANA time zone' })
          .nullable()
          .optional()
          .meta({ description: 'IANA name, like Europe/Berlin; null clears' }),
        locale: z
          .string()
          .max(200)
          .refine(isLiquidOr(isLocale), { error: 'not a BCP 47 locale' })
          .nullable()
          .optional()
          .meta({ description: 'BCP 47, like de-CH; null clears' }),
        attributes: z
          .record(z.string(), JsonValue)
          .optional()
          .meta({ description: 'Merged into what the contact has; null removes a key' }),
      })
      .optional()
      .meta({ description: 'Fields to write' }),
    addTags: boundedArray(Tag, 100).optional().meta({ description: 'Tags to add' }),
    removeTags: boundedArray(Tag, 100).optional().meta({ description: 'Tags to take away' }),
    status: z.literal('unsubscribed').optional().meta({ description: 'Unsubscribes the contact' }),
  })
  .meta({ id: 'UpdateContactConfig', description: 'Texts are Liquid' });
export type ContactUpdate = z.output<typeof UpdateContactConfig>;
