import type { ContactFields } from '../domain/contacts/contact.ts';
import { Contact, type ContactRow } from './entities/index.ts';

type Column = keyof ContactRow & string;

/** What names a contact, what it keeps for good, and when. */
const FIXED = ['id', 'project_id', 'email', 'brand_id', 'created_at', 'updated_at'] as const satisfies readonly Column[];

/** The columns that a change of a contact writes: all but the fixed ones, so a new column of the entity is one of them. */
export const FIELD_COLUMNS: readonly (keyof ContactFields)[] = (Object.keys(Contact.meta.properties) as Column[]).filter(isField);

/** The consent record, which is evidence for the project: conditions, mails, webhooks and lists do not show it. */
export const CONSENT_COLUMNS = FIELD_COLUMNS.filter((name) => name.startsWith('consent_'));

/** What no record shows but the contact's own: for `jsonb - text[]` and for picking. */
export const HIDDEN_COLUMNS: readonly string[] = ['project_id', ...CONSENT_COLUMNS];

/** What conditions may see of a change. */
export const SEEN_COLUMNS = FIELD_COLUMNS.filter((name) => !CONSENT_COLUMNS.includes(name));

function isField(name: Column): name is Exclude<Column, (typeof FIXED)[number]> {
  return !(FIXED as readonly string[]).includes(name);
}
