import * as z from 'zod';
import { listContacts } from '../../../db/queries/contacts/contact-list.ts';
import { AttributeColumns, CONTACT_CSV_WORDS, contactsCsv } from '../../contact-csv.ts';
import { CSV_WORDS } from '../../csv-answer.ts';
import * as examples from '../../examples/export-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { ContactFilters } from './contacts.ts';

const all = defineRoute({
  method: 'get',
  path: '/contacts/export',
  scope: 'contacts:read',
  summary: 'Export contacts as CSV, newest first',
  description: `${CSV_WORDS} ${CONTACT_CSV_WORDS} The filters are those of GET /contacts.`,
  query: z.object({ ...ContactFilters, attributes: AttributeColumns.optional() }),
  status: 200,
  reply: z.string().meta({ description: 'All contacts that match' }),
  answersAs: 'text/csv',
  examples: examples.contacts,
  async handle(context, { query: { attributes, ...filter } }) {
    const { em, project } = context;
    return contactsCsv(context, 'contacts.csv', attributes, (place) => listContacts(em, project.id, filter, place, 'kept'));
  },
});

export const routes: readonly Route[] = [all];
