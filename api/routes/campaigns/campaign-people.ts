import * as z from 'zod';
import { findCampaign, readPeople } from '../../../db/queries/campaigns/campaigns.ts';
import { listLeftOut, type PlaceLeftOut } from '../../../db/queries/campaigns/left-out.ts';
import { LEFT_OUT_REASONS, type LeftOutReason } from '../../../domain/campaigns/left-out.ts';
import { notFound } from '../../../domain/errors.ts';
import { LEFT_OUT_KEPT_MS } from '../../../domain/operations/retention.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { LeftOutReasonName } from '../../campaign-schemas.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/campaign-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Cursor, Limit, NextCursor, PathId, Timestamp } from '../../schemas.ts';
import { SuppressionReasonName } from '../suppressions/suppressions.ts';

const PersonLeftOut = z
  .object({
    contact_id: z.uuid().meta({ description: 'Their contact' }),
    email: z.string().meta({ description: 'Its address now' }),
    reason: LeftOutReasonName,
    suppression: SuppressionReasonName.optional().meta({
      description: 'Of who was `suppressed`: why the address is on the list now; absent when it is not',
    }),
    at: Timestamp.meta({ description: 'When they were left out' }),
  })
  .meta({ id: 'PersonLeftOut', description: 'Somebody whom a campaign was for, and who does not get it' });

const people = defineRoute({
  method: 'get',
  path: '/campaigns/:id/people',
  scope: 'contacts:read',
  summary: 'Read whom a campaign was given, or whom it left out',
  description:
    '`emails` are the addresses of a campaign to the people of a list, to send to them again; none of another. With `outcome=left_out`: `people`, ' +
    'who matched its audience and do not get it, by reason, a page at a time; `left_out` of the campaign says how many they are. Those whose ' +
    `contacts were deleted since are in no list, and a page may so be shorter than \`limit\`. Kept for ${shownPeriod(LEFT_OUT_KEPT_MS)}. A ` +
    'scheduled campaign leaves nobody out before it runs, and one that ends before it has looked for its audience never does.',
  params: z.object({ id: PathId.meta({ description: "The campaign's id" }) }),
  query: z
    .object({
      outcome: z.literal('left_out').optional().meta({ description: 'Who does not get it' }),
      reason: LeftOutReasonName.optional().meta({ description: 'Of those alone who were left out for it' }),
      limit: Limit,
      cursor: Cursor.optional(),
    })
    .refine(({ outcome, reason, cursor }) => outcome !== undefined || (reason === undefined && cursor === undefined), {
      path: ['outcome'],
      error: 'reason and cursor go with outcome=left_out',
    }),
  status: 200,
  reply: z.object({
    emails: z.array(z.string()).meta({ description: 'All that it was given, each once, by the alphabet; none with `outcome`' }),
    people: z.array(PersonLeftOut).meta({ description: 'This page of those who were left out; none without `outcome`' }),
    nextCursor: NextCursor,
  }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.people,
  async handle(context, { params, query }) {
    const { em, project } = context;
    const { id } = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    if (query.outcome) return { emails: [], ...(await leftOut(context, id, query)) };
    return { emails: [...((await readPeople(em, id)) ?? notFound('campaign'))], people: [], nextCursor: null };
  },
});

interface Asked {
  readonly reason?: LeftOutReason | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

async function leftOut({ em, project, vault }: KeyContext, campaignId: string, { reason, limit, cursor }: Asked) {
  const scope = { projectId: project.id, list: 'left out', filter: { campaignId, reason } };
  const after = placeOf(readCursor(vault, scope, cursor));
  const reasons = reason ? [reason] : LEFT_OUT_REASONS;
  const found = await listLeftOut(em, { campaignId, reasons, after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? { createdAt: last.at, id: `${last.reason}/${last.contactId}` } : undefined;
  return {
    people: page.flatMap(({ contactId, email, suppression, ...left }) =>
      email === null ? [] : [{ contact_id: contactId, email, ...left, ...(suppression ? { suppression } : {}) }],
    ),
    nextCursor: writeCursor(vault, scope, next),
  };
}

function placeOf(position: { readonly id: string } | undefined): PlaceLeftOut | undefined {
  const [reason, contactId] = position?.id.split('/') ?? [];
  return contactId === undefined ? undefined : { reason: reason as LeftOutReason, contactId };
}

export const routes: readonly Route[] = [people];
