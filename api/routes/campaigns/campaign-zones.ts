import * as z from 'zod';
import { findCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { remainingByZone } from '../../../db/queries/campaigns/zones.ts';
import { notFound } from '../../../domain/errors.ts';
import { ZoneProgress } from '../../campaign-time-schemas.ts';
import * as examples from '../../examples/campaign-zones-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';

const list = defineRoute({
  method: 'get',
  path: '/campaigns/:id/zones',
  scope: 'campaigns:read',
  summary: 'How far a campaign in local time is, zone by zone',
  description: 'In the order of their times. Empty before it begins, and of a campaign that goes to everybody at once.',
  params: z.object({ id: PathId.meta({ description: "The campaign's id" }) }),
  status: 200,
  reply: z.object({ zones: z.array(ZoneProgress).meta({ description: 'All of them' }) }),
  errors: ['not_found'],
  examples: examples.zones,
  async handle({ em, project }, { params }) {
    const { id, zones } = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    const remaining = zones ? await remainingByZone(em, id) : new Map<string, number>();
    return {
      zones: (zones ?? []).map(({ timezone, at, recipients }) => ({
        ...{ timezone, at: new Date(at), recipients },
        remaining: remaining.get(timezone ?? '') ?? 0,
      })),
    };
  },
});

export const routes: readonly Route[] = [list];
