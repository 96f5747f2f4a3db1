import * as z from 'zod';
import { readProject, updateProject } from '../../../db/queries/projects/administration.ts';
import { FEWEST_CAMPAIGN_MAILS } from '../../../domain/campaigns/campaign-limits.ts';
import * as examples from '../../examples/project-examples.ts';
import { ProjectRecord, projectRecord } from '../../project-schemas.ts';
import { defineRoute, type Route } from '../../route.ts';

const RULE = 'should be a share of more than 0 and at most 1, like 0.05 for 5 %';

const limit = (what: string) =>
  z
    .number()
    .gt(0, { error: RULE })
    .max(1, { error: RULE })
    .nullish()
    .meta({ description: `${what}, more than 0 and at most 1; null: no such limit; omitted: as it was` });

const change = defineRoute({
  method: 'patch',
  path: '/project',
  scope: 'campaigns:write',
  summary: 'Set beyond what campaigns pause by themselves',
  description:
    'A campaign that is sending pauses by itself, within seconds, when a larger share of its emails has bounced, or was reported as spam, than the limit says; of ' +
    `fewer than ${FEWEST_CAMPAIGN_MAILS} emails none does. Its \`paused_reason\` says why. Once it is resumed only emails after that count. New limits ` +
    'hold for campaigns that are under way, too.',
  body: z
    .object({
      campaignLimits: z
        .strictObject({
          bounceRate: limit('The share of the emails of a campaign that may bounce, or be refused at the submission'),
          complaintRate: limit('The share of the emails of a campaign that may be reported as spam'),
        })
        .nullish()
        .meta({ id: 'CampaignLimitsInput', description: 'Beyond which shares campaigns pause by themselves; null: none' }),
    })
    .meta({ id: 'ProjectChange', description: 'What is omitted stays as it is' }),
  status: 200,
  reply: z.object({ project: ProjectRecord }),
  errors: ['invalid_request'],
  examples: examples.changeProject,
  async handle({ em, project }, { body: { campaignLimits } }) {
    const { bounceRate, complaintRate } = campaignLimits === null ? { bounceRate: null, complaintRate: null } : (campaignLimits ?? {});
    const changed = {
      ...(bounceRate === undefined ? {} : { campaign_bounce_limit: bounceRate }),
      ...(complaintRate === undefined ? {} : { campaign_complaint_limit: complaintRate }),
    };
    if (Object.keys(changed).length > 0) await updateProject(em, project.id, changed);
    return { project: projectRecord(await readProject(em, project.id)) };
  },
});

export const routes: readonly Route[] = [change];
