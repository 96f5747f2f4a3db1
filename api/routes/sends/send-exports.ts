import * as z from 'zod';
import { CSV_WORDS, csvAnswer } from '../../csv-answer.ts';
import * as examples from '../../examples/export-examples.ts';
import { allPages, cellOf } from '../../export-pages.ts';
import { defineRoute, type Route } from '../../route.ts';
import { pageOfSends, SendFilters, SendLogEntry } from './sends.ts';

/** The columns, in the order of the records. */
const COLUMNS = Object.keys(SendLogEntry.shape) as (keyof typeof SendLogEntry.shape)[];

const all = defineRoute({
  method: 'get',
  path: '/sends/export',
  scope: 'sends:read',
  summary: 'Export send attempts as CSV, newest first',
  description: `${CSV_WORDS} The columns are the fields of GET /sends, in their order, lists and objects as JSON; the filters are its own.`,
  query: z.object(SendFilters),
  status: 200,
  reply: z.string().meta({ description: 'All attempts that match' }),
  answersAs: 'text/csv',
  examples: examples.sends,
  async handle(context, { query }) {
    const { em, project } = context;
    async function* pages() {
      for await (const sends of allPages((place) => pageOfSends(em, project.id, query, place)))
        yield sends.map((send) => COLUMNS.map((column) => cellOf(send[column])));
    }
    return csvAnswer(context, { filename: 'sends.csv', columns: COLUMNS, pages: pages() });
  },
});

export const routes: readonly Route[] = [all];
