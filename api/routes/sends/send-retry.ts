import * as z from 'zod';
import { findSend } from '../../../db/queries/sends/send-log.ts';
import { notFound } from '../../../domain/errors.ts';
import { retrySend } from '../../../usecases/sends/retry-send.ts';
import * as examples from '../../examples/send-examples.ts';
import { Answer, defineRoute, type Route } from '../../route.ts';
import { MailData } from '../../schemas.ts';
import { SECONDS_WITH_ATTACHMENTS } from './attachments-of-call.ts';
import { answerSend, mailNotes, SentReply } from './send-answer.ts';
import { SendPath } from './sends.ts';

const retry = defineRoute({
  method: 'post',
  path: '/sends/:id/retry',
  scope: 'send',
  summary: 'Send a failed email again',
  description:
    'Once for each failed row, whoever else asks for it at the same time. An email with `outcome_unknown` may have arrived: who got it gets it twice. ' +
    'The failed row stays as it is and names what follows it in `retried_as`. An email of POST /send or a test is made with the template, recipient, ' +
    "type, brand, copies, headers and tags of its row, the template's own subject and sender, and with `data`, which is not kept; one of a sequence as its step made it, while the run " +
    'stays where it is. Both are answered as POST /send is. One of a campaign is sent by its campaign, as POST /campaigns/:id/retry does for all, and needs ' +
    'the scope `campaigns:write` as well: the answer has `id` null and `queued` true. `invalid_status`: it has not failed, was sent again before, also by its caller under its key, or what it was made of is gone.',
  params: SendPath,
  body: z
    .strictObject({ data: MailData.nullish().meta({ description: 'Of an email of POST /send or a test: what it shows, given again' }) })
    .meta({ id: 'SendRetryInput', description: 'What an email is made of that is not kept' }),
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
  examples: examples.retry,
  async handle(context, { params, body }) {
    const { em, project, caller, demandScope } = context;
    const failed = (await findSend(em, project.id, params.id)) ?? notFound('send');
    if (failed.details?.attachments) context.mayTake(SECONDS_WITH_ATTACHMENTS);
    // It opens the campaign again.
    if (failed.source_type === 'campaign') demandScope('campaigns:write');
    const retried = await retrySend(context, failed, {
      ...{ data: body.data ?? undefined, notes: mailNotes },
      ...{ caller, deadline: caller.deadline },
    });
    const { sendId } = retried;
    if (retried.state === 'queued') return { id: null, send_id: sendId, queued: true };
    const { status, body: answered, headers } = await answerSend(em, retried.result, { ...retried.asked, details: failed.details });
    return new Answer(status, { ...(answered as object), send_id: sendId, queued: false }, headers);
  },
});

export const routes: readonly Route[] = [retry];
