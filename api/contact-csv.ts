import * as z from 'zod';
import type { KeysetPage, Place } from '../db/cursor-page.ts';
import type { ContactRow } from '../db/entities/index.ts';
import { topicKeys } from '../db/queries/contacts/topics.ts';
import { withSuppressions } from '../db/queries/suppressions/suppressions.ts';
import { MAX_ATTRIBUTES } from '../domain/contacts/contact.ts';
import { NAME_COLUMNS, TRAIT_COLUMNS } from '../domain/contacts/fields.ts';
import { csvAnswer } from './csv-answer.ts';
import { allPages, cellOf } from './export-pages.ts';
import type { Answer, KeyContext } from './route.ts';

/** Names of attributes that have columns of their own. How many there are is looked at before they are. */
export const AttributeColumns = z
  .string()
  .max(8_000)
  .refine((text) => text.split(',').length <= MAX_ATTRIBUTES, { error: `at most ${MAX_ATTRIBUTES} attributes` })
  .meta({
    description: 'Names of attributes, between commas, that are columns of their own beside `attributes`, which has all of them as JSON',
  });

/** What is said of the columns in the descriptions. */
export const CONTACT_CSV_WORDS =
  'The columns have names that an import knows, but for those marked *: `id`*, `email`, `first_name`, `last_name`, `display_name`, `status`, `suppressed` (the reason), `brand`*, ' +
  '`source`, `tags` between commas, `timezone`, `locale`, `consent.source`, `consent.ip`, `consent.user_agent`, `consent.at`, `created_at`*, ' +
  '`updated_at`*, `attributes`* as JSON, `topics.<key>` of each topic of the project, and `attributes.<name>` of those that `attributes` names.';

/** Contacts of a list as CSV. Throws rate_limited. */
export async function contactsCsv(
  context: KeyContext,
  filename: string,
  attributes: string | undefined,
  read: (place: Place) => Promise<KeysetPage<ContactRow>>,
): Promise<Answer> {
  const { em, project } = context;
  const names = [...new Set((attributes ?? '').split(',').map((name) => name.trim()))].filter(Boolean);
  const topics = [...(await topicKeys(em, project.id))];
  const columns = [...Object.keys(FIXED), ...topics.map((key) => `topics.${key}`), ...names.map((name) => `attributes.${name}`)];
  async function* pages() {
    for await (const contacts of allPages(read)) {
      const shown = await withSuppressions(em, project.id, contacts);
      yield shown.map((contact) => [
        ...Object.values(FIXED).map((of) => cellOf(of(contact))),
        ...topics.map((key) => cellOf(own(contact.topics, key))),
        ...names.map((name) => cellOf(own(contact.attributes, name))),
      ]);
    }
  }
  return csvAnswer(context, { filename, columns, pages: pages() });
}

type Shown = ContactRow & { readonly suppressed: string | null };

/** Of each column its value. */
const FIXED: Readonly<Record<string, (contact: Shown) => unknown>> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  ...textsOf(NAME_COLUMNS),
  status: ({ status }) => status,
  suppressed: ({ suppressed }) => suppressed,
  brand: ({ brand_id }) => brand_id,
  source: ({ source }) => source,
  tags: ({ tags }) => tags.join(','),
  ...textsOf(TRAIT_COLUMNS),
  'consent.source': ({ consent_source }) => consent_source,
  'consent.ip': ({ consent_ip }) => consent_ip,
  'consent.user_agent': ({ consent_user_agent }) => consent_user_agent,
  'consent.at': ({ consent_at }) => consent_at,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  attributes: ({ attributes }) => attributes,
};

function textsOf(columns: readonly (keyof Shown)[]): Record<string, (contact: Shown) => unknown> {
  return Object.fromEntries(columns.map((column) => [column, (contact: Shown) => contact[column]]));
}

function own(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : null;
}
