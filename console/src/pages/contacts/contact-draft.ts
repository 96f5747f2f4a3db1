import type { Schemas } from '../../api/client.ts';
import { CONTACT_TEXTS, type ContactTextName, TEXT_NAMES } from '../../show/contact-texts.ts';
import { type AttributeDraft, attributeDraftsOf, changedAttributes } from './attribute-draft.ts';
import type { Contact } from './contact-queries.ts';

export type ContactInput = Schemas['ContactInput'];

/** What can be said of a person, while it is edited: '' is nothing. */
export interface ContactDraft extends Readonly<Record<ContactTextName, string>> {
  readonly tags: readonly string[];
  readonly attributes: readonly AttributeDraft[];
  /** What is chosen, by the key of the topic. */
  readonly topics: Readonly<Record<string, boolean>>;
}

export function draftOfContact(contact?: Contact): ContactDraft {
  const texts = Object.fromEntries(TEXT_NAMES.map((name) => [name, storedText(name, contact)])) as Record<ContactTextName, string>;
  return { ...texts, tags: contact?.tags ?? [], attributes: attributeDraftsOf(contact?.attributes ?? {}), topics: contact?.topics ?? {} };
}

/** Only what differs from the contact, so that what others changed meanwhile stays. Empty when nothing does. */
export function changesOf(draft: ContactDraft, contact?: Contact): Omit<ContactInput, 'email'> {
  const texts = TEXT_NAMES.filter((name) => draft[name].trim() !== storedText(name, contact));
  const attributes = changedAttributes(draft.attributes, contact?.attributes ?? {});
  const topics = Object.fromEntries(Object.entries(draft.topics).filter(([key, isOn]) => isOn !== contact?.topics[key]));
  const hasOtherTags = JSON.stringify(draft.tags) !== JSON.stringify(contact?.tags ?? []);
  return {
    ...Object.fromEntries(texts.map((name) => [name, draft[name].trim() || null])),
    ...(hasOtherTags ? { tags: [...draft.tags] } : {}),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    // What was off is turned on again: whoever edits it says that the person asked for it.
    ...(Object.keys(topics).length > 0 ? { topics, resubscribe: true } : {}),
  };
}

function storedText(name: ContactTextName, contact: Contact | undefined): string {
  return contact?.[CONTACT_TEXTS[name].column] ?? '';
}
