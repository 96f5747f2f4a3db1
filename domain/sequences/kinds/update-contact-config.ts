import * as z from 'zod';
import { boundedArray } from '../../bounded-array.ts';
import { byName, CONTACT_TEXT_COLUMNS, MAX_TEXT, type TextForm } from '../../contacts/fields.ts';
import { isTag, MAX_TAGS, TAG_RULE } from '../../contacts/tags.ts';
import { JsonValue } from '../../json-value.ts';
import { isLiquidOr } from '../schema-parts.ts';

const Tag = z.string().max(200).refine(isLiquidOr(isTag), { error: TAG_RULE });

/** Liquid may make the value, so only a plain one can be judged here. */
function settable(form: TextForm | undefined) {
  const text = form
    ? z.string().max(MAX_TEXT).refine(isLiquidOr(form.is), { error: form.error })
    : z.string().max(MAX_TEXT, { error: `at most ${MAX_TEXT} characters` });
  return text
    .nullable()
    .optional()
    .meta({ description: form ? `${form.name}, like ${form.like}; null clears` : 'null clears' });
}

export const UpdateContactConfig = z
  .strictObject({
    set: z
      .strictObject({
        ...byName(CONTACT_TEXT_COLUMNS, (_, { form }) => settable(form)),
        attributes: z
          .record(z.string(), JsonValue)
          .optional()
          .meta({ description: 'Merged into what the contact has; null removes a key' }),
      })
      .optional()
      .meta({ description: 'Fields to write' }),
    addTags: boundedArray(Tag, MAX_TAGS).optional().meta({ description: 'Tags to add' }),
    removeTags: boundedArray(Tag, MAX_TAGS).optional().meta({ description: 'Tags to take away' }),
    status: z.literal('unsubscribed').optional().meta({ description: 'Unsubscribes the contact' }),
  })
  .meta({ id: 'UpdateContactConfig', description: 'Texts are Liquid' });
export type ContactUpdate = z.output<typeof UpdateContactConfig>;
