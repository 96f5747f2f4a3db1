import * as z from 'zod';
import { Refusal } from '../../../domain/errors.ts';
import { confirmationToken, readConfirmation } from '../confirmation.ts';
import { renderPublished, senderOf, templateState } from '../template-state.ts';
import { defineTool, type Taken, type ToolContext } from '../tool.ts';
import { Token, tokenWords } from './confirming.ts';
import { counted, Id, isNotSent } from './shared.ts';

/** More are a campaign. */
const MOST_RECIPIENTS = 200;
const PEOPLE_SHOWN = 10;

const Recipient = z
  .strictObject({
    to: z.string().min(1).max(500).optional().meta({ description: 'An address, or `Name <address>`' }),
    contactId: Id.optional().meta({ description: 'In place of `to`' }),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Template variables of this email alone, beside `data` of all' }),
  })
  .refine(({ to, contactId }) => (to === undefined) !== (contactId === undefined), { error: 'exactly one of to and contactId' });

const fields = {
  template: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'The key of an enabled template: what several get is always a published version' }),
  recipients: z.array(Recipient).min(1).max(MOST_RECIPIENTS).meta({ description: 'Each gets an email of its own' }),
};
const input = z.object(fields);
const TAKEN = ['data', 'subject', 'locale', 'brand', 'topic', 'tags'] as const;
const takes = { route: 'POST /send', fields: TAKEN } as const;
const SCOPES = ['send', 'templates:read'] as const;

type Asked = z.output<typeof input>;

/** Bodies of POST /send, one for each recipient. */
function mailsOf({ template, recipients }: Asked, { data, ...taken }: Taken): readonly Readonly<Record<string, unknown>>[] {
  return recipients.map((recipient) => ({
    ...{ template, ...taken },
    ...(recipient.to === undefined ? { contactId: recipient.contactId } : { to: recipient.to }),
    data: { ...(data as object | undefined), ...recipient.data },
  }));
}

async function contentOf(context: ToolContext, { template }: Asked, { brand }: Taken, mails: readonly object[]) {
  return { mails, template: await templateState(context, template, brand as string | undefined) };
}

const prepare = defineTool({
  name: 'prepare_send_to_several',
  title: 'Read back an email to several',
  description: `Reads back what sending one template to several people (at most ${MOST_RECIPIENTS}; more are a campaign) would do: how many, some of them, the subject and text of the first. Show that to the user; its confirmation token is for send_to_several, which takes the same arguments. Sends nothing.`,
  kind: 'act',
  scopes: SCOPES,
  input,
  takes,
  isIdempotent: true,
  async run(context, asked, taken) {
    const mails = mailsOf(asked, taken);
    const { subject, locale, brand } = taken;
    const { contactId, data } = mails[0] as { readonly contactId?: string; readonly data: unknown };
    const shownFor = contactId !== undefined && context.hasScope('contacts:read') ? { contactId } : {};
    const given = Object.fromEntries(Object.entries({ subject, locale, brand }).filter(([, value]) => value !== undefined));
    const email = await renderPublished(context, asked.template, { data, ...given, ...shownFor });
    const content = await contentOf(context, asked, taken, mails);
    if (!content.template.entry.enabled)
      throw new Refusal('template_not_enabled', 'this template is switched off: none of these emails could be sent');
    const count = mails.length;
    const token = confirmationToken(
      context.vault,
      context.key,
      { act: 'send_to_several', content, count, version: 0 },
      { now: context.now(), id: context.newId() },
    );
    const says = [
      `${counted(count, 'email')} would be sent at most, each to one person: addresses are not checked here, and who is suppressed or has unsubscribed is passed over.`,
      ...(mails.length > 1 ? ['The subject and text of data are those of the first: those of others may differ by their data.'] : []),
      ...(email.missing.length > 0
        ? [`Data is missing for the first, so it would fail: ${counted(email.missing.length, 'name')} in data.`]
        : []),
      ...tokenWords(token, 'send_to_several'),
    ];
    const sender = senderOf(content.template, brand as string | undefined);
    return { says, data: { sender, email, people: asked.recipients.slice(0, PEOPLE_SHOWN).map(({ to, contactId: id }) => to ?? id) } };
  },
});

interface Result {
  readonly ok: boolean;
  readonly id?: string;
  readonly code?: string;
  readonly reason?: string;
}

const send = defineTool({
  name: 'send_to_several',
  title: 'Send an email to several',
  description:
    'Send one template to several people. Needs the same arguments as prepare_send_to_several and its token, which the user has agreed to. Refused when anything has changed: recipients, data, subject, sender, or the published version. A second call with the token sends nothing twice.',
  kind: 'act',
  scopes: SCOPES,
  input: z.object({ ...fields, confirmationToken: Token }),
  takes,
  isDestructive: true,
  isIdempotent: true,
  async run(context, { confirmationToken: token, ...asked }, taken) {
    const confirmed = readConfirmation(context.vault, context.key, 'send_to_several', token, context.now());
    const mails = mailsOf(asked, taken);
    confirmed.demandSame(await contentOf(context, asked, taken, mails));
    const { results } = await context.ask<{ results: Result[] }>({
      method: 'POST',
      path: '/send/batch',
      body: { mails },
      idempotencyKey: confirmed.idempotencyKey,
    });
    const done = results.filter(({ ok }) => ok);
    const sandboxed = done.filter(({ id }) => isNotSent(id)).length;
    const sent = done.length - sandboxed;
    const underWay = results.filter(({ code }) => code === 'idempotency_in_progress').length;
    const says = [
      `${counted(sent, 'email')} of ${results.length} went.`,
      ...(sandboxed > 0 ? [`${counted(sandboxed, 'email')} did not leave: made in the sandbox.`] : []),
      ...(underWay > 0
        ? [`${counted(underWay, 'email')} of another call with this token ${underWay === 1 ? 'is' : 'are'} under way.`]
        : []),
      ...(done.length + underWay < results.length ? ['Why the others did not stands in data.'] : []),
    ];
    const told = results.map((result, at) => ({ to: asked.recipients[at]?.to ?? asked.recipients[at]?.contactId, ...result }));
    return { says, data: { results: told } };
  },
});

export const tools = [prepare, send];
