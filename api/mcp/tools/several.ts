import * as z from 'zod';
import { readMailbox } from '../../../domain/contacts/mailbox.ts';
import { invalidRequest, Refusal } from '../../../domain/errors.ts';
import { confirmationToken, readConfirmation } from '../confirmation.ts';
import { nameOf } from '../reason-words.ts';
import { type Rendered, renderPublished, senderOf, templateState } from '../template-state.ts';
import { defineTool, type Taken, type ToolContext } from '../tool.ts';
import { Token, tokenWords } from './confirming.ts';
import { counted, findContact, Id, isNotSent } from './shared.ts';

/** More are a campaign. */
const MOST_RECIPIENTS = 200;
const PEOPLE_SHOWN = 10;
/** Emails whose subjects are read back, where their data differ. */
const MOST_RENDERED = 10;

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
function mailsOf({ template, recipients }: Asked, { data, ...taken }: Taken): readonly Mail[] {
  return recipients.map((recipient) => ({
    ...{ template, ...taken },
    ...(recipient.contactId === undefined ? { to: recipient.to } : { contactId: recipient.contactId }),
    data: { ...(data as object | undefined), ...recipient.data },
  }));
}

interface Mail {
  readonly contactId?: string;
  readonly data: unknown;
}

/** The first email, and those that may say something else: with other data, or for a contact whose own fields stand in them. */
function unlike({ recipients }: Asked, mails: readonly Mail[]): readonly Mail[] {
  const isOwn = (at: number): boolean => recipients[at]?.data !== undefined || recipients[at]?.contactId !== undefined;
  return mails.filter((_, at) => at === 0 || isOwn(at));
}

async function contentOf(context: ToolContext, { template }: Asked, { brand }: Taken, mails: readonly object[]) {
  return { mails, template: await templateState(context, template, brand as string | undefined) };
}

/** Why an email would not go to each recipient now, in their order; null: it would. Throws invalid_request when one is named twice. */
async function reasonsNow({ ask }: ToolContext, { template, recipients }: Asked, { topic }: Taken): Promise<readonly (string | null)[]> {
  const body = { template, topic, recipients: recipients.map(({ to, contactId }) => (contactId === undefined ? { to } : { contactId })) };
  const { results } = await ask<{ results: { reason: string | null; repeats: number | null }[] }>({
    method: 'POST',
    path: '/sends/check',
    body,
  });
  const twice = results.flatMap(({ repeats }, at) => (repeats === null ? [] : [{ at, repeats }]));
  if (twice.length > 0)
    throw invalidRequest(
      twice.map(({ at, repeats }) => ({
        path: `recipients.${at}`,
        message: `the same address as recipients.${repeats}; name each person once`,
      })),
    );
  return results.map(({ reason }) => reason);
}

/** Whom it goes to, in numbers: `3 people get this email now, of 5 who are named: 2 suppressed are left out.` */
function whoWords(reasons: readonly (string | null)[]): string {
  const leftOut = new Map<string, number>();
  for (const reason of reasons) if (reason !== null) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  const gets = reasons.filter((reason) => reason === null).length;
  const told = [...leftOut].map(([reason, count]) => `${count} ${nameOf(reason).replaceAll('_', ' ')}`).join(', ');
  return `${counted(gets, 'person gets', 'people get')} this email now, of ${reasons.length} who are named${told && `; left out: ${told}`}.`;
}

const prepare = defineTool({
  name: 'prepare_send_to_several',
  title: 'Read back an email to several',
  description: `Reads back what sending one template to several people (at most ${MOST_RECIPIENTS}; more are a campaign) would do: how many get it and who is left out, some of them, the sender, the subjects, and the text of the first. Show that to the user; its confirmation token is for send_to_several, which takes the same arguments. Sends nothing.`,
  kind: 'act',
  scopes: SCOPES,
  input,
  takes,
  isIdempotent: true,
  async run(context, asked, taken) {
    const mails = mailsOf(asked, taken);
    const { subject, locale, brand } = taken;
    const wrong = asked.recipients.flatMap(({ to }, at) => (to === undefined || readMailbox(to) ? [] : [`recipients.${at}.to`]));
    if (wrong.length > 0) throw invalidRequest(wrong.map((path) => ({ path, message: 'should be one address, or `Name <address>`' })));
    const mayLook = context.hasScope('contacts:read');
    const given = Object.fromEntries(Object.entries({ subject, locale, brand }).filter(([, value]) => value !== undefined));
    const emails: Rendered[] = [];
    for (const { contactId, data } of unlike(asked, mails).slice(0, MOST_RENDERED)) {
      const shownFor = contactId !== undefined && mayLook ? { contactId } : {};
      emails.push(await renderPublished(context, asked.template, { data, ...given, ...shownFor }));
    }
    const [email] = emails as [Rendered];
    const subjects = [...new Set(emails.map((rendered) => rendered.subject))];
    const notShown = Math.max(0, unlike(asked, mails).length - MOST_RENDERED);
    const content = await contentOf(context, asked, taken, mails);
    if (!content.template.entry.enabled)
      throw new Refusal('template_not_enabled', 'this template is switched off: none of these emails could be sent');
    const reasons = await reasonsNow(context, asked, taken);
    const leftOut = reasons.flatMap((reason, at) => (reason === null ? [] : [at]));
    const count = mails.length - leftOut.length;
    const named = ({ to, contactId }: Asked['recipients'][number]): string | undefined => to ?? contactId;
    const told = leftOut.slice(0, PEOPLE_SHOWN).map((at) => ({ to: named(asked.recipients[at]!), reason: reasons[at] }));
    if (count === 0) return { says: [whoWords(reasons), 'There is nobody to send to, and so no token.'], data: { leftOut: told } };
    const token = confirmationToken(
      context.vault,
      context.key,
      { act: 'send_to_several', content, count, leftOut, version: 0 },
      { now: context.now(), id: context.newId() },
    );
    const says = [
      whoWords(reasons),
      'It may be fewer by then, since each is asked about again as the email goes; who is left out now stays so.',
      ...(subjects.length > 1 ? [`There are ${subjects.length} different subjects: show all of them, in \`subjects\` of data.`] : []),
      ...(notShown > 0 ? [`The subjects of ${notShown} more, which have data of their own, are not shown here.`] : []),
      ...(email.missing.length > 0
        ? [`Data is missing for the first, so it would fail: ${counted(email.missing.length, 'name')} in data.`]
        : []),
      ...tokenWords(token, 'send_to_several'),
    ];
    const sender = senderOf(content.template, brand as string | undefined);
    const people: (string | undefined)[] = [];
    const getting = asked.recipients.filter((_, at) => reasons[at] === null);
    for (const { to, contactId } of getting.slice(0, PEOPLE_SHOWN))
      people.push(to ?? (mayLook ? (await findContact(context, { contactId }))?.email : undefined) ?? contactId);
    return { says, data: { sender, email, subjects, people, leftOut: told } };
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
    const getsIt = (_: unknown, at: number): boolean => !confirmed.leftOut.includes(at);
    const recipients = asked.recipients.filter(getsIt);
    const { results } = await context.ask<{ results: Result[] }>({
      method: 'POST',
      path: '/send/batch',
      body: { mails: mails.filter(getsIt) },
      idempotencyKey: confirmed.idempotencyKey,
    });
    const done = results.filter(({ ok }) => ok);
    const sandboxed = done.filter(({ id }) => isNotSent(id)).length;
    const sent = done.length - sandboxed;
    const underWay = results.filter(({ code }) => code === 'idempotency_in_progress').length;
    const says = [
      `${counted(sent, 'email')} of ${results.length} went.`,
      ...(confirmed.leftOut.length > 0 ? [`${counted(confirmed.leftOut.length, 'recipient')} left out, as was read back.`] : []),
      ...(sandboxed > 0 ? [`${counted(sandboxed, 'email')} did not leave: made in the sandbox.`] : []),
      ...(underWay > 0
        ? [`${counted(underWay, 'email')} of another call with this token ${underWay === 1 ? 'is' : 'are'} under way.`]
        : []),
      ...(done.length + underWay < results.length ? ['Why the others did not stands in data.'] : []),
    ];
    const told = results.map((result, at) => ({ to: recipients[at]?.to ?? recipients[at]?.contactId, ...result }));
    return { says, data: { results: told } };
  },
});

export const tools = [prepare, send];
