import * as z from 'zod';
import { checkRecipients } from '../../../db/queries/sends/recipient-check.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { type Mailbox, readMailbox } from '../../../domain/contacts/mailbox.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import * as examples from '../../examples/send-check-examples.ts';
import { MailboxText } from '../../mail-schemas.ts';
import { defineRoute, type Route } from '../../route.ts';
import { eitherOf, Id, SendTypeName, TemplateKey, TopicKey } from '../../schemas.ts';
import { refuseTopicOf, requireTopic } from '../../topic.ts';
import { MAX_MAILS } from './mail-batch.ts';
import { templateForSending } from './send.ts';

const Recipient = eitherOf(
  z.object({
    to: MailboxText.nullish().meta({ description: 'An address; required unless contactId is given' }),
    contactId: Id.nullish().meta({ description: 'Takes precedence over to' }),
  }),
  'to',
  'contactId',
).meta({ id: 'SendCheckRecipient', description: 'Whom an email would be to' });

const check = defineRoute({
  method: 'post',
  path: '/sends/check',
  scope: 'send',
  summary: 'Tell who would get an email, and who not and why',
  description:
    'Sends and writes nothing. As POST /send would decide at this moment about each recipient: suppressed for every email, the rest for marketing. ' +
    'Each is asked again when its email goes.',
  body: z
    .object({
      recipients: boundedArray(Recipient, MAX_MAILS, { error: `at most ${MAX_MAILS} recipients` })
        .min(1, { error: 'at least one recipient' })
        .meta({ description: 'Whom the emails would be to' }),
      template: TemplateKey.nullish().meta({ description: 'Whose type the email has; required without `type`' }),
      type: SendTypeName.nullish().meta({ description: "The template's own when omitted" }),
      topic: TopicKey.nullish(),
    })
    .meta({ id: 'SendCheckInput', description: 'Which email, and to whom' }),
  status: 200,
  reply: z.object({
    willGet: z.int().min(0).meta({ description: 'How many of them would get it' }),
    results: boundedArray(
      z
        .object({
          reason: z.enum(['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'not_found']).nullable().meta({
            description: 'Why it would not go; `not_found`: there is no such contact. null: it would go',
          }),
          repeats: z.int().min(0).nullable().meta({
            description:
              'The place in `recipients`, from 0, of the first one with the same address, however it was named: a batch would send to it twice. null: none comes before it',
          }),
        })
        .meta({ id: 'SendCheckResult', description: 'What would become of an email to one recipient' }),
      MAX_MAILS,
    ).meta({ description: 'One of each recipient, in the order of `recipients`' }),
  }),
  errors: ['invalid_request', { code: 'unknown_template', status: 404 }, 'unknown_template'],
  takesTestKeys: true,
  examples: examples.check,
  async handle(context, { body }) {
    const { em, project } = context;
    const { recipients: given, template, topic } = body;
    await requireTopic(em, project.id, topic);
    const type = body.type ?? (template ? (await templateForSending(context, template)).type : undefined);
    if (!type) throw invalidRequest([{ path: 'type', message: 'either template or type is required' }]);
    refuseTopicOf(type, topic);
    const recipients = given.map(({ to, contactId }) =>
      contactId ? { contactId } : { email: (readMailbox(to as string) as Mailbox).email },
    );
    const checked = await checkRecipients(em, { projectId: project.id, type, topic: topic ?? null, recipients });
    const results = checked.map(({ reason, repeats }) => ({ reason: reason === 'erased' ? ('not_found' as const) : reason, repeats }));
    return { willGet: results.filter(({ reason }) => reason === null).length, results };
  },
});

export const routes: readonly Route[] = [check];
