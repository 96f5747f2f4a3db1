import * as z from 'zod';
import { findCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { listLeftOut, type PersonLeftOut } from '../../../db/queries/campaigns/left-out.ts';
import { LEFT_OUT_REASONS } from '../../../domain/campaigns/left-out.ts';
import { notFound } from '../../../domain/errors.ts';
import { CSV_WORDS, csvAnswer } from '../../csv-answer.ts';
import * as examples from '../../examples/export-examples.ts';
import { allAfter, allPages, cellOf } from '../../export-pages.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';
import { pageOfSends } from '../sends/sends.ts';

const COLUMNS = ['contact_id', 'email', 'outcome', 'reason', 'at', 'delivery_status', 'first_opened_at', 'first_clicked_at', 'send_id'];
const NO_MAIL = [null, null, null, null];

const people = defineRoute({
  method: 'get',
  path: '/campaigns/:id/people/export',
  scope: 'contacts:read',
  summary: "Export a campaign's people as CSV",
  description:
    `${CSV_WORDS} The columns: \`${COLUMNS.join('`, `')}\`. First those who have got the email or for whom it failed (\`outcome\` sent or failed, with the error as the reason), the ` +
    'latest first; these need `sends:read` too. Then those who were left out, by reason. Who has been erased is in neither. An email that was sent again after it failed has its last row.',
  params: z.object({ id: PathId.meta({ description: "The campaign's id" }) }),
  query: z.object({ outcome: z.enum(['sent', 'failed', 'left_out']).optional().meta({ description: 'Of these alone' }) }),
  status: 200,
  reply: z.string().meta({ description: 'One row a person' }),
  answersAs: 'text/csv',
  errors: ['not_found'],
  examples: examples.people,
  async handle(context, { params, query: { outcome } }) {
    const { em, project, demandScope } = context;
    const { id } = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    if (outcome !== 'left_out') demandScope('sends:read');
    async function* pages() {
      if (outcome !== 'left_out') yield* mailed(context, id, outcome);
      if (outcome === undefined || outcome === 'left_out') yield* leftOut(context, id);
    }
    return csvAnswer(context, { filename: 'people.csv', columns: COLUMNS, pages: pages() });
  },
});

async function* mailed({ em, project }: KeyContext, sourceId: string, status: 'sent' | 'failed' | undefined) {
  const filter = { sourceType: 'campaign', sourceId, status };
  for await (const sends of allPages((place) => pageOfSends(em, project.id, filter, place)))
    yield sends
      .filter(({ to_email, retried_as }) => to_email !== '' && retried_as === null)
      .map((send) => [
        ...[send.contact_id, send.to_email, send.status, send.error],
        ...[send.created_at, send.delivery_status, send.first_opened_at, send.first_clicked_at, send.id].map(cellOf),
      ]);
}

async function* leftOut({ em }: KeyContext, campaignId: string) {
  const asked = { campaignId, reasons: LEFT_OUT_REASONS };
  for await (const found of allAfter<PersonLeftOut>((after, limit) => listLeftOut(em, { ...asked, after, limit })))
    yield found.flatMap(({ contactId, email, reason, at }) =>
      email === null ? [] : [[contactId, email, 'left_out', reason, at.toISOString(), ...NO_MAIL]],
    );
}

export const routes: readonly Route[] = [people];
