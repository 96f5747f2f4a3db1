import { attributesProblem, type ContactFields, changeContact } from '../contact.ts';
import { isLocale, isTimeZone } from '../locale.ts';
import { renderJson, renderText } from './liquid-value.ts';
import type { ContactUpdate } from './node-parts.ts';

const MAX_NAME = 200;
const MAX_TAGS = 100;

export function isTag(text: string): boolean {
  return text.length >= 1 && text.length <= 64;
}

export interface UpdatedContact {
  readonly contact: ContactFields;
  /** What happened, in words. */
  readonly detail: string;
}

/** What an update_contact node makes of a contact. A value that the rules for contacts do not allow is passed over and told of. */
export function updateContact(contact: ContactFields, update: ContactUpdate, variables: object, now: Date): UpdatedContact {
  const passedOver: string[] = [];
  const text = (field: string, source: string | null | undefined, allowed: (value: string) => boolean): string | null | undefined => {
    if (source === undefined || source === null) return source;
    const value = renderText(source, variables);
    // What the event or the contact does not have must not wipe what is there; null clears on purpose.
    if (allowed(value) && (value !== '' || source === '')) return value;
    passedOver.push(field);
    return undefined;
  };
  const tags = (sources: readonly string[] = []): string[] => sources.flatMap((source) => text('tags', source, isTag) ?? []);
  const isName = (value: string): boolean => value.length <= MAX_NAME;
  const { set = {} } = update;
  const attributes = set.attributes && (renderJson(set.attributes, variables) as Record<string, unknown>);
  const input = {
    email: '',
    firstName: text('firstName', set.firstName, isName),
    lastName: text('lastName', set.lastName, isName),
    displayName: text('displayName', set.displayName, isName),
    timezone: text('timezone', set.timezone, isTimeZone),
    locale: text('locale', set.locale, isLocale),
    tags: changedTags(contact.tags, tags(update.addTags), tags(update.removeTags)),
    status: update.status,
  };
  const plain = changeContact(contact, input, now);
  const full = attributes ? changeContact(plain, { email: '', attributes }, now) : plain;
  const fits = attributesProblem(full.attributes) === undefined;
  if (!fits) passedOver.push('attributes');
  const detail =
    passedOver.length > 0 ? `contact updated, without ${[...new Set(passedOver)].join(', ')}: not a possible value` : 'contact updated';
  return { contact: fits ? full : plain, detail };
}

function changedTags(tags: readonly string[], addTags: readonly string[], removeTags: readonly string[]): readonly string[] {
  const kept = tags.filter((tag) => !removeTags.includes(tag));
  return [...new Set([...kept, ...addTags])].slice(0, Math.max(MAX_TAGS, kept.length));
}
