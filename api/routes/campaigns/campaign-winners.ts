import * as z from 'zod';
import { notFound } from '../../../domain/errors.ts';
import { chooseWinner } from '../../../usecases/campaigns/decide-test.ts';
import { demandOwnCampaign, recordOf } from '../../campaign-records.ts';
import { OneCampaign } from '../../campaign-schemas.ts';
import * as examples from '../../examples/campaign-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';

const choose = defineRoute({
  method: 'post',
  path: '/campaigns/:id/winner',
  scope: 'campaigns:write',
  summary: 'Choose what the rest of a test gets',
  description:
    'Whatever the test tells by then: who is still to get it in the test gets their own variant, and all others this one, from now on. The same choice once more changes ' +
    'nothing. `invalid_status`: the campaign has no test, is a draft or has ended, or it is decided already.',
  params: z.object({ id: PathId.meta({ description: "The campaign's id" }) }),
  body: z
    .strictObject({ variant: z.string().max(32, { error: 'the key of a variant' }).meta({ description: 'The key of a variant' }) })
    .meta({ id: 'CampaignWinnerInput', description: 'What the rest gets' }),
  status: 200,
  reply: OneCampaign,
  errors: ['not_found', 'invalid_status', 'invalid_request'],
  examples: examples.winner,
  takesTestKeys: true,
  async handle(context, { params, body }) {
    const { em, project } = context;
    await demandOwnCampaign(context, params.id);
    const campaign = (await chooseWinner(em, project.id, params.id, body.variant)) ?? notFound('campaign');
    return { campaign: await recordOf(em, campaign) };
  },
});

export const routes: readonly Route[] = [choose];
