import * as z from 'zod';
import { FEWEST_CAMPAIGN_MAILS } from '../../../domain/campaigns/campaign-limits.ts';
import { keptWindow, SendWindowInput } from '../../../domain/send-window-schema.ts';
import { changeSettings } from '../../../usecases/projects/change-project.ts';
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
  summary: 'Set when marketing emails go, and beyond what campaigns pause by themselves',
  description:
    'A campaign that is sending pauses by itself, within seconds, when a larger share of its emails has bounced, or was reported as spam, than the limit says; of ' +
    `fewer than ${FEWEST_CAMPAIGN_MAILS} emails none does. Its \`paused_reason\` says why. Once it is resumed only emails after that count. New limits ` +
    'hold for campaigns that are under way, too. Marketing emails wait for `sendWindow`: those of sequences that have none of their own, of campaigns that begin ' +
    'later, and of POST /send. What waits for a window looks again when it is changed.',
  body: z
    .object({
      campaignLimits: z
        .strictObject({
          bounceRate: limit('The share of the emails of a campaign that may bounce, or be refused at the submission'),
          complaintRate: limit('The share of the emails of a campaign that may be reported as spam'),
        })
        .nullish()
        .meta({ id: 'CampaignLimitsInput', description: 'Beyond which shares campaigns pause by themselves; null: none' }),
      sendWindow: SendWindowInput.nullish().meta({
        description: 'The hours in which marketing emails go; null: at any time; omitted: as it was',
      }),
    })
    .meta({ id: 'ProjectChange', description: 'What is omitted stays as it is' }),
  status: 200,
  reply: z.object({ project: ProjectRecord }),
  errors: ['invalid_request'],
  examples: examples.changeProject,
  async handle({ em, project }, { body: { campaignLimits, sendWindow } }) {
    const { bounceRate, complaintRate } = campaignLimits === null ? { bounceRate: null, complaintRate: null } : (campaignLimits ?? {});
    const changed = {
      ...(bounceRate === undefined ? {} : { campaign_bounce_limit: bounceRate }),
      ...(complaintRate === undefined ? {} : { campaign_complaint_limit: complaintRate }),
      ...(sendWindow === undefined ? {} : { send_window: sendWindow && keptWindow(sendWindow) }),
    };
    return { project: projectRecord(await changeSettings(em, project.id, changed)) };
  },
});

export const routes: readonly Route[] = [change];
