import { keysOf } from '../../frame/choices.ts';
import { NAMES, TRAITS } from '../../show/contact-texts.ts';
import type { Contact } from '../contacts/contact-queries.ts';

/** What a contact has that conditions ask otherwise for, or not at all. */
type NotAsked = 'id' | 'brand_id' | 'attributes' | 'topics' | 'updated_at';
type ContactField = Exclude<keyof Contact, NotAsked> | 'brand';

/** What the fields of contacts that conditions ask for are called, by their names there. */
const LABELS: Readonly<Record<ContactField, string>> = {
  ...{ status: 'Status', email: 'Email', source: 'Source', brand: 'Brand' },
  ...{ first_name: NAMES.firstName.label, last_name: NAMES.lastName.label, display_name: NAMES.displayName.label },
  ...{ tags: 'Tags', timezone: TRAITS.timezone.label, locale: TRAITS.locale.label, created_at: 'Created' },
};

const OF_CONTACT = 'contact.';
export const STATUS = `${OF_CONTACT}status`;
export const SOURCE = `${OF_CONTACT}source`;
export const TAGS = `${OF_CONTACT}tags`;

/** To choose from. */
export const CONTACT_FIELDS = keysOf(LABELS).map((name) => ({ value: `${OF_CONTACT}${name}`, label: LABELS[name] }));

/** The field that is meant by what is typed: one of a contact's own may be called by its label, or by its name alone. */
export function fieldOf(typed: string): string {
  const text = typed.trim();
  const name = text.toLowerCase();
  const own = CONTACT_FIELDS.find(({ value, label }) => [value, value.slice(OF_CONTACT.length), label.toLowerCase()].includes(name));
  return own?.value ?? text;
}

/** What a field is called. */
export function fieldLabel(field: string): string {
  return CONTACT_FIELDS.find(({ value }) => value === field)?.label ?? field;
}

/** Whether there can be such a field. */
export function isField(field: string): boolean {
  return CONTACT_FIELDS.some(({ value }) => value === field) || /^(?:attributes|event|contact\.topics)(?:\.[^.]+)+$/.test(field);
}
