import type { Schemas } from '../../api/client.ts';
import { type AttributeDraft, attributeDraftsOf, changedAttributes } from './attribute-draft.ts';
import type { Contact } from './contact-queries.ts';

export type ContactInput = Schemas['ContactInput'];

/** What can be said of a person, while it is edited: '' is nothing. */
export interface ContactDraft {
  readonly firstName: string;
  readonly lastName: string;
  readonly displayName: string;
  readonly timezone: string;
  readonly locale: string;
  readonly tags: readonly string[];
  readonly attributes: readonly AttributeDraft[];
}

export type TextField = Exclude<keyof ContactDraft, 'tags' | 'attributes'>;

const COLUMN_OF = {
  firstName: 'first_name',
  lastName: 'last_name',
  displayName: 'display_name',
  timezone: 'timezone',
  locale: 'locale',
} as const satisfies Readonly<Record<TextField, keyof Contact>>;

const TEXT_FIELDS = Object.keys(COLUMN_OF) as TextField[];

export function draftOfContact(contact?: Contact): ContactDraft {
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, contact?.[COLUMN_OF[name]] ?? ''])) as Record<TextField, string>;
  return { ...texts, tags: contact?.tags ?? [], attributes: attributeDraftsOf(contact?.attributes ?? {}) };
}

/** Only what differs from the contact, so that what others changed meanwhile stays. Empty when nothing does. */
export function changesOf(draft: ContactDraft, contact?: Contact): Omit<ContactInput, 'email'> {
  const texts = TEXT_FIELDS.filter((name) => draft[name].trim() !== (contact?.[COLUMN_OF[name]] ?? ''));
  const attributes = changedAttributes(draft.attributes, contact?.attributes ?? {});
  const hasOtherTags = JSON.stringify(draft.tags) !== JSON.stringify(contact?.tags ?? []);
  return {
    ...Object.fromEntries(texts.map((name) => [name, draft[name].trim() || null])),
    ...(hasOtherTags ? { tags: [...draft.tags] } : {}),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
  };
}
