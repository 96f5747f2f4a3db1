import * as z from 'zod';
import { findSegment, listSegmentContacts } from '../../../db/queries/segments/segments.ts';
import { notFound } from '../../../domain/errors.ts';
import { AttributeColumns, CONTACT_CSV_WORDS, contactsCsv } from '../../contact-csv.ts';
import { CSV_WORDS } from '../../csv-answer.ts';
import * as examples from '../../examples/export-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';
import { MemberFilters } from './segments.ts';

const members = defineRoute({
  method: 'get',
  path: '/segments/:id/export',
  scope: 'contacts:read',
  summary: 'Export the contacts that are in a segment now, as CSV, newest first',
  description: `${CSV_WORDS} ${CONTACT_CSV_WORDS} The filters are those of GET /segments/:id/contacts.`,
  params: z.object({ id: PathId.meta({ description: "The segment's id" }) }),
  query: z.object({ ...MemberFilters, attributes: AttributeColumns.optional() }),
  status: 200,
  reply: z.string().meta({ description: 'All members that match' }),
  answersAs: 'text/csv',
  errors: ['not_found'],
  examples: examples.segment,
  async handle(context, { params, query: { attributes, ...filter } }) {
    const { em, project } = context;
    const segment = (await findSegment(em, project.id, params.id)) ?? notFound('segment');
    return contactsCsv(context, 'segment.csv', attributes, (place) => listSegmentContacts(em, segment, filter, place));
  },
});

export const routes: readonly Route[] = [members];
