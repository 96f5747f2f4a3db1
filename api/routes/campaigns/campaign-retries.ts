import * as z from 'zod';
import { findCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { failedRecipients } from '../../../db/queries/sends/retries.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { notFound } from '../../../domain/errors.ts';
import { RECIPIENT_FAILURES } from '../../../domain/sends/send.ts';
import { type RetriedCampaign, retryInPortions } from '../../../usecases/campaigns/retry-campaign.ts';
import { CampaignStatusName } from '../../campaign-schemas.ts';
import * as examples from '../../examples/campaign-examples.ts';
import { underKey } from '../../idempotency.ts';
import { REQUEST_SECONDS } from '../../middleware/time-limit.ts';
import { Answer, defineRoute, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';

const CampaignPath = z.object({ id: PathId.meta({ description: "The campaign's id" }) });

const FailureReason = z
  .enum(RECIPIENT_FAILURES, { error: `one of ${RECIPIENT_FAILURES.join(', ')}` })
  .meta({ id: 'RecipientFailure', description: 'Why the email of a recipient failed: the first word of its `error`' });

const Count = z.int().min(0);

/** Portions begin within half of a request's time: one of them takes some seconds. */
const BEGUN_WITHIN_MS = (REQUEST_SECONDS * 1000) / 2;

const failures = defineRoute({
  method: 'get',
  path: '/campaigns/:id/failures',
  scope: 'campaigns:read',
  summary: 'Count the failed emails of a campaign by reason',
  description:
    'Of those recipients to whom POST /campaigns/:id/retry sends again: by the latest email of each, without those who were erased since.',
  params: CampaignPath,
  status: 200,
  reply: z.object({
    failures: z
      .array(
        z
          .object({
            reason: z.string().meta({ description: 'The first word of the `error` of their emails' }),
            count: Count.meta({ description: 'Recipients' }),
          })
          .meta({ id: 'CampaignFailures', description: 'How many recipients have not got it for one reason' }),
      )
      .meta({ description: 'The most first; empty when nobody has failed' }),
  }),
  errors: ['not_found'],
  examples: examples.failures,
  async handle({ em, project }, { params }) {
    const { id } = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    return { failures: await failedRecipients(em, id) };
  },
});

const retry = defineRoute({
  method: 'post',
  path: '/campaigns/:id/retry',
  scope: 'campaigns:write',
  summary: 'Send a campaign again to those whose email failed',
  description:
    'To those recipients whose latest email failed for one of the `outcomes`, once each, whoever else asks for it at the same time. An email with ' +
    '`outcome_unknown` may have arrived: who got it gets it twice, and `mayArriveTwice` says how many those are. Who has unsubscribed, bounced or ' +
    'was suppressed since is skipped. The failed rows stay as they are and name what follows them in `retried_as`. The campaign is `sending` until ' +
    'they are settled, its counts are those of the latest email of each, and `campaign.completed` is told once more. Where that takes longer than a ' +
    'request may, the answer has `more` and the numbers of those who were done: ask again for the others, under another Idempotency-Key. ' +
    '`invalid_status`: it has neither begun nor been sent, was cancelled, or its `endsAt` has passed.',
  params: CampaignPath,
  body: z
    .strictObject({
      outcomes: boundedArray(FailureReason, RECIPIENT_FAILURES.length, { error: `at most ${RECIPIENT_FAILURES.length} outcomes` })
        .min(1, { error: 'at least one outcome' })
        .meta({ description: 'Why their emails failed' }),
    })
    .meta({ id: 'CampaignRetryInput', description: 'To whom a campaign goes again' }),
  status: 200,
  reply: z.object({
    id: z.uuid().meta({ description: 'Of the campaign' }),
    status: CampaignStatusName,
    retried: Count.meta({ description: 'Recipients to whom it goes again; 0 leaves the campaign as it is' }),
    mayArriveTwice: Count.meta({ description: 'Those of them whose email was `outcome_unknown`: it may have arrived' }),
    more: z
      .literal(true)
      .optional()
      .meta({ description: 'Others may be left to whom it goes when this is asked again; absent when none is' }),
  }),
  errors: ['not_found', 'invalid_status'],
  needsVerifiedOwner: true,
  idempotency: 'own',
  examples: examples.retry,
  async handle(context, { params, body }) {
    const { em, project, now } = context;
    const { id } = params;
    const until = now().getTime() + BEGUN_WITHIN_MS;
    return underKey(context, `post /campaigns/${id}/retry`, { params, body }, async (store) => {
      const retried = await retryInPortions(
        em,
        { projectId: project.id, id },
        {
          outcomes: body.outcomes,
          isTimeUp: () => now().getTime() >= until,
          conclude: (tx, done) => store(tx, answerOf(id, done)),
        },
      );
      return answerOf(id, retried ?? notFound('campaign'));
    });
  },
});

function answerOf(id: string, { status, retried, mayArriveTwice, last }: RetriedCampaign): Answer {
  return new Answer(200, { ok: true, id, status, retried, mayArriveTwice, ...(last === null ? {} : { more: true }) });
}

export const routes: readonly Route[] = [failures, retry];
