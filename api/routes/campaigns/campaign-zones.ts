import * as z from 'zod';
import { findCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { leftByZone, type ZoneLeft } from '../../../db/queries/campaigns/zones.ts';
import { notFound } from '../../../domain/errors.ts';
import { ZoneProgress } from '../../campaign-time-schemas.ts';
import * as examples from '../../examples/campaign-zones-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';

const list = defineRoute({
  method: 'get',
  path: '/campaigns/:id/zones',
  scope: 'campaigns:read',
  summary: 'How far a campaign in local time or within a send window is, zone by zone',
  description:
    'In the order of their times. Empty before it begins, and of a campaign that goes to everybody at once. Of one whose window is by the clock of one zone ' +
    'everybody is in that.',
  params: z.object({ id: PathId.meta({ description: "The campaign's id" }) }),
  status: 200,
  reply: z.object({ zones: z.array(ZoneProgress).meta({ description: 'All of them' }) }),
  errors: ['not_found'],
  examples: examples.zones,
  async handle({ em, project }, { params }) {
    const { id, zones, local_schedule, window_in_force } = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    const left = zones ? await leftByZone(em, id) : new Map<string, ZoneLeft>();
    const ofAll = local_schedule === null && window_in_force?.timezone !== 'contact' ? (window_in_force?.timezone ?? null) : null;
    return {
      zones: (zones ?? []).map(({ timezone, at, recipients }) => ({
        ...{ timezone: timezone ?? ofAll, at: new Date(at), recipients },
        remaining: left.get(timezone ?? '')?.remaining ?? 0,
        resumes_at: left.get(timezone ?? '')?.resumesAt ?? null,
      })),
    };
  },
});

export const routes: readonly Route[] = [list];
