import * as z from 'zod';
import { findCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { failedRecipients } from '../../db/queries/sends/retries.ts';
import { findSend } from '../../db/queries/sends/send-log.ts';
import { boundedArray } from '../../domain/bounded-array.ts';
import { notFound } from '../../domain/errors.ts';
import { RECIPIENT_FAILURES } from '../../domain/sends/send.ts';
import { retryCampaign } from '../../usecases/campaigns/retry-campaign.ts';
import { retrySend } from '../../usecases/sends/retry-send.ts';
import { CampaignStatusName } from '../campaign-schemas.ts';
import * as campaignExamples from '../examples/campaign-examples.ts';
import * as sendExamples from '../examples/send-examples.ts';
import { Answer, defineRoute } from '../route.ts';
import { MailData, PathId } from '../schemas.ts';
import { answerSend, SentReply } from './sends/send.ts';
import { SendPath } from './sends/sends.ts';

const CampaignPath = z.object({ id: PathId.meta({ description: "The campaign's id" }) });

const FailureReason = z
  .enum(RECIPIENT_FAILURES, { error: `one of ${RECIPIENT_FAILURES.join(', ')}` })
  .meta({ id: 'RecipientFailure', description: 'Why the mail of a recipient failed: the first word of its `error`' });

const Count = z.int().min(0);

export const failures = defineRoute({
  method: 'get',
  path: '/campaigns/:id/failures',
  scope: 'any key',
  summary: 'Count the failed mails of a campaign by reason',
  description:
    'Of those recipients to whom POST /campaigns/:id/retry sends again: by the latest mail of each, without those who were erased since.',
  params: CampaignPath,
  status: 200,
  reply: z.object({
    failures: z
      .array(
        z
          .object({
            reason: z.string().meta({ description: 'The first word of the `error` of their mails' }),
            count: Count.meta({ description: 'Recipients' }),
          })
          .meta({ id: 'CampaignFailures', description: 'How many recipients have not got it for one reason' }),
      )
      .meta({ description: 'The most first; empty when nobody has failed' }),
  }),
  errors: ['not_found'],
  examples: campaignExamples.failures,
  async handle({ em, project }, { params }) {
    const { id } = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    return { failures: await failedRecipients(em, id) };
  },
});

export const campaign = defineRoute({
  method: 'post',
  path: '/campaigns/:id/retry',
  scope: 'campaigns:write',
  summary: 'Send a campaign again to those whose mail failed',
  description:
    'To those recipients whose latest mail failed for one of the `outcomes`, once each, whoever else asks for it at the same time. A mail with ' +
    '`outcome_unknown` may have arrived: who got it gets it twice, and `mayArriveTwice` says how many those are. Who has unsubscribed, bounced or ' +
    'was suppressed since is skipped. The failed rows stay as they are and name what follows them in `retried_as`. The campaign is `sending` until ' +
    'they are settled, its counts are those of the latest mail of each, and `campaign.completed` is told once more. `invalid_status`: it has ' +
    'neither begun nor been sent, was cancelled, or its `endsAt` has passed.',
  params: CampaignPath,
  body: z
    .strictObject({
      outcomes: boundedArray(FailureReason, RECIPIENT_FAILURES.length, { error: `at most ${RECIPIENT_FAILURES.length} outcomes` })
        .min(1, { error: 'at least one outcome' })
        .meta({ description: 'Why their mails failed' }),
    })
    .meta({ id: 'CampaignRetryInput', description: 'To whom a campaign goes again' }),
  status: 200,
  reply: z.object({
    id: z.uuid().meta({ description: 'Of the campaign' }),
    status: CampaignStatusName,
    retried: Count.meta({ description: 'Recipients to whom it goes again; 0 leaves the campaign as it is' }),
    mayArriveTwice: Count.meta({ description: 'Those of them whose mail was `outcome_unknown`: it may have arrived' }),
  }),
  errors: ['not_found', 'invalid_status'],
  needsVerifiedOwner: true,
  idempotency: 'stored',
  examples: campaignExamples.retry,
  async handle({ em, project }, { params, body }) {
    const retried = await retryCampaign(em, { projectId: project.id, id: params.id }, { outcomes: body.outcomes });
    const { status, retried: count, mayArriveTwice } = retried ?? notFound('campaign');
    return { id: params.id, status, retried: count, mayArriveTwice };
  },
});

export const send = defineRoute({
  method: 'post',
  path: '/sends/:id/retry',
  scope: 'send',
  summary: 'Send a failed mail again',
  description:
    'Once for each failed row, whoever else asks for it at the same time. A mail with `outcome_unknown` may have arrived: who got it gets it twice. ' +
    'The failed row stays as it is and names what follows it in `retried_as`. A mail of POST /send or a test is made with the template, recipient, ' +
    "type and brand of its row, the template's own subject and sender, and with `data`, which is not kept; one of a sequence as its step made it, while the run " +
    'stays where it is. Both are answered as POST /send is. One of a campaign is sent by its campaign, as POST /campaigns/:id/retry does for all: ' +
    'the answer has `id` null and `queued` true. `invalid_status`: it has not failed, was sent again before, or what it was made of is gone.',
  params: SendPath,
  body: z
    .strictObject({ data: MailData.nullish().meta({ description: 'Of a mail of POST /send or a test: what it shows, given again' }) })
    .meta({ id: 'SendRetryInput', description: 'What a mail is made of that is not kept' }),
  isBodyOptional: true,
  status: 200,
  reply: SentReply.extend({
    id: z.string().nullish().meta({ description: "The provider's message id; null when it is `queued`" }),
    send_id: z.uuid().meta({ description: 'Of the row that follows; GET /sends/:id knows it when it has its outcome' }),
    queued: z.boolean().meta({ description: 'Whether its campaign sends it after this answer' }),
  }),
  errors: [
    'not_found',
    'invalid_status',
    'unknown_template',
    'no_brand',
    'template_not_enabled',
    'invalid_from',
    'send_failed',
    { code: 'send_failed', status: 503 },
  ],
  needsVerifiedOwner: true,
  examples: sendExamples.retry,
  async handle(context, { params, body }) {
    const { em, project, caller } = context;
    const failed = (await findSend(em, project.id, params.id)) ?? notFound('send');
    const retried = await retrySend(context, failed, { data: body.data ?? undefined, caller, deadline: caller.deadline });
    const { sendId } = retried;
    if (retried.state === 'queued') return { id: null, send_id: sendId, queued: true };
    const { status, body: answered, headers } = await answerSend(em, retried.result, retried.asked);
    return new Answer(status, { ...(answered as object), send_id: sendId, queued: false }, headers);
  },
});
