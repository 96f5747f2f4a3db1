import * as z from 'zod';
import { invalidRequest } from '../../../domain/errors.ts';
import { readError } from '../../../domain/sends/send.ts';
import { pathOf } from '../own-calls.ts';
import {
  CAMPAIGN_WORDS,
  FAILURE_WORDS,
  HOLD_WORDS,
  LEFT_OUT_WORDS,
  nameOf,
  SKIPPED_WORDS,
  STATUS_WORDS,
  WAIT_WORDS,
  wordsOf,
} from '../reason-words.ts';
import { defineTool, RouteRefused, type ToolContext } from '../tool.ts';
import { type Contact, findContact, ifThere, personFields } from './shared.ts';

interface SendRow {
  readonly id: string;
  readonly contact_id: string | null;
  readonly to_email: string;
  readonly status: 'sent' | 'failed' | 'scheduled';
  readonly error: string | null;
  readonly delivery_status: string | null;
  readonly sandboxed: boolean;
  readonly created_at: string;
  readonly send_at: string | null;
  readonly retried_as: string | null;
  readonly source_type: string;
  readonly source_id: string | null;
  readonly enrollment_id?: string | null;
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly waiting_for: string | null;
  readonly wakes_at: string | null;
  readonly end_reason: string | null;
  readonly started_at: string;
  readonly steps?: readonly {
    readonly number: number;
    readonly kind: string;
    readonly outcome: string | null;
    readonly detail: string | null;
  }[];
}

interface Campaign {
  readonly id: string;
  readonly status: string;
  readonly paused: boolean;
  readonly paused_reason: string | null;
  readonly reason: string | null;
  readonly scheduled_at: string | null;
}

/** What is found out, in words of ours and as the records have it. */
interface Findings {
  readonly says: string[];
  readonly data: Record<string, unknown>;
}

const input = z.object({
  sendId: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'The id of a row of the email log, or the id that POST /send answered' }),
  ...personFields,
  template: z.string().max(200).optional().meta({ description: 'With a person: the key of the template that did not come' }),
  campaignId: z.uuid().optional().meta({ description: 'With a person: the campaign that did not come' }),
  sequence: z.string().max(64).optional().meta({ description: 'With a person: the key of the sequence whose email did not come' }),
});

const explainEmail = defineTool({
  name: 'explain_email',
  title: 'Why an email did not leave or arrive',
  description:
    'Find out why an email did not leave, or what became of one: by its send id, or by a person and the template, campaign or sequence that it should have been of. ' +
    "Looks at the log, suppression, consent, confirmation, topics, the campaign's state, and where the person's run in a sequence stands or is held. Use it for every question of the kind “why did X not get Y”.",
  kind: 'read',
  scopes: ['sends:read'],
  input,
  async run(context, asked) {
    const found: Findings = { says: [], data: {} };
    if (asked.sendId !== undefined) await explainSend(context, asked.sendId, found);
    else await explainAbsence(context, asked, found);
    return { says: found.says, data: found.data, more: 'Ask search_emails, get_run or get_campaign for the whole of it.' };
  },
});

async function explainSend(context: ToolContext, sendId: string, found: Findings): Promise<void> {
  const answer = await ifThere(context.ask<{ send: SendRow }>({ method: 'GET', path: pathOf`/sends/${sendId}` }));
  if (!answer) {
    found.says.push(
      'No email of this project has this id. One that is being sent just now has no row until it has its outcome: ask again in a minute.',
    );
    return;
  }
  const { send } = answer;
  found.data.send = send;
  found.says.push(sendWords(send));
  if (send.status !== 'sent') {
    const of = send.contact_id ? { contactId: send.contact_id } : { email: send.to_email };
    await within(found, 'contacts:read', context, async () => explainPerson(await findContact(context, of), found));
    if (!found.data.contact) await explainAddress(context, send.to_email, found);
  }
  if (send.source_type === 'campaign' && send.source_id && send.status !== 'sent') await explainCampaign(context, send.source_id, found);
  if (send.enrollment_id && send.status !== 'sent') await explainRun(context, send.enrollment_id, found);
}

/** Emails to a person that are told of: those that wait, and as many others. */
const MOST_EMAILS = 5;

async function explainAbsence(context: ToolContext, asked: z.output<typeof input>, found: Findings): Promise<void> {
  const { contactId, email, template, campaignId, sequence } = asked;
  if (contactId === undefined && email === undefined)
    throw invalidRequest([{ path: 'sendId', message: 'sendId, contactId or email is required' }]);
  let contact: Contact | undefined;
  const mayLook = await within(found, 'contacts:read', context, async () => {
    contact = await findContact(context, { contactId, email });
    explainPerson(contact, found);
  });
  const address = contact?.email ?? email?.trim().toLowerCase();
  if (!contact && address !== undefined) await explainAddress(context, address, found);
  // What POST /send mails to an address is of no contact, and a contact may have had another address before.
  const id = contact?.id ?? contactId;
  const people = [...(id === undefined ? [] : [{ contactId: id }]), ...(address === undefined ? [] : [{ q: address }])];
  const source = campaignId ? { sourceType: 'campaign', sourceId: campaignId } : sequence ? { sourceType: 'sequence' } : {};
  const rows = new Map<string, SendRow>();
  for (const status of ['scheduled', undefined]) {
    for (const person of people) {
      const query = { ...person, ...source, template, status, limit: 'q' in person ? 100 : MOST_EMAILS };
      const page = await context.ask<{ sends: SendRow[] }>({ method: 'GET', path: '/sends', query });
      // The search by an address takes a part of one.
      for (const row of page.sends) if ('contactId' in person || row.to_email === address) rows.set(row.id, row);
    }
  }
  const sends = [...rows.values()].slice(0, 2 * MOST_EMAILS);
  found.data.sends = sends;
  if (sends.length === 0) found.says.push('The log has no such email to the person: nothing was sent, and nothing failed.');
  for (const send of sends) found.says.push(`Email ${send.id}: ${sendWords(send)}`);
  if (campaignId) await explainCampaign(context, campaignId, found);
  if (mayLook && contact && campaignId) await explainLeftOut(context, contact.id, { campaignId, hasMail: sends.length > 0 }, found);
  if (sequence) await explainSequence(context, sequence, contact?.id ?? contactId, found);
}

/** What the row itself says. */
function sendWords({
  status,
  error,
  delivery_status: delivery,
  sandboxed,
  created_at: at,
  send_at: due,
  retried_as: retry,
}: SendRow): string {
  const again = retry ? ' It was sent again since: `retried_as` names the row.' : '';
  if (status === 'scheduled') return `It waits for its time, ${due}.`;
  if (status === 'failed') return `It failed at ${at}: ${wordsOf(FAILURE_WORDS, readError(error ?? '').reason)}.${again}`;
  if (sandboxed) {
    const played = delivery && delivery !== 'delivered' ? ` The sandbox reports it as ${nameOf(delivery)}, as if it had left.` : '';
    return `It was made at ${at} and never left: it was asked for with a test key, in a sandbox, or to an address of everpost.test.${played}`;
  }
  if (delivery === 'bounced') return `It left at ${at} and came back: the receiver refused it. What was reported stands in data.`;
  if (delivery === 'complained') return `It left at ${at}, arrived, and the person marked it as spam.`;
  if (delivery === 'delivered')
    return `It left at ${at} and the receiving server took it. If the person does not see it, it may be among spam.`;
  return `It left at ${at}: the provider took it, and has reported nothing further.`;
}

function explainPerson(contact: Contact | undefined, found: Findings): void {
  if (!contact) {
    found.says.push('The project has no such contact: campaigns and sequences reach contacts only.');
    return;
  }
  found.data.contact = contact;
  const { suppressed, status, confirmation, topics } = contact;
  if (suppressed) found.says.push(`Now: ${FAILURE_WORDS.suppressed}. Its reason is ${nameOf(suppressed)}.`);
  if (status === 'unsubscribed') found.says.push(`Now: ${FAILURE_WORDS.unsubscribed}.`);
  if (status === 'bounced') found.says.push(`Now: ${FAILURE_WORDS.bounced}.`);
  const asked = confirmation?.state;
  const isUnconfirmed = status === 'pending' && (asked === 'waiting' || asked === 'expired');
  if (isUnconfirmed) found.says.push(`Now: ${FAILURE_WORDS.unconfirmed}.`);
  else if (status === 'pending')
    found.says.push('The status is pending, and the person does not owe a confirmation: that alone keeps no email away.');
  if (confirmation) found.says.push('The person was asked to confirm the sign-up: `confirmation` of data says what came of it.');
  const off = Object.values(topics).filter((isOn) => !isOn).length;
  if (off > 0) found.says.push(`The person has turned off ${off} of the topics: an email of one of those does not go.`);
  const isOpen = status === 'subscribed' || (status === 'pending' && !isUnconfirmed);
  if (!suppressed && isOpen && off === 0) found.says.push('Now nothing about the person keeps email away.');
}

/** A suppression is about an address, with or without a contact. */
async function explainAddress(context: ToolContext, email: string, found: Findings): Promise<void> {
  await within(found, 'suppressions:read', context, async () => {
    const path = '/suppressions';
    const query = { email, limit: 1 };
    const { suppressions } = await context.ask<{ suppressions: { reason: string }[] }>({ method: 'GET', path, query });
    const [suppression] = suppressions;
    if (!suppression) return;
    found.data.suppression = suppression;
    found.says.push(`Now: ${FAILURE_WORDS.suppressed}. Its reason is ${nameOf(suppression.reason)}.`);
  });
}

async function explainCampaign(context: ToolContext, id: string, found: Findings): Promise<void> {
  await within(found, 'campaigns:read', context, async () => {
    const answer = await ifThere(context.ask<{ campaign: Campaign }>({ method: 'GET', path: pathOf`/campaigns/${id}/progress` }));
    if (!answer) {
      found.says.push('The project has no such campaign.');
      return;
    }
    const { campaign } = answer;
    found.data.campaign = campaign;
    found.says.push(`The campaign: ${wordsOf(STATUS_WORDS, campaign.status)}.`);
    if (campaign.status === 'scheduled') found.says.push(`It begins at ${campaign.scheduled_at}.`);
    if (campaign.paused)
      found.says.push(
        `It is paused${campaign.paused_reason ? ` by itself: ${nameOf(campaign.paused_reason)}` : ''}: nothing of it goes before it is resumed.`,
      );
    if (campaign.reason) found.says.push(`Why: ${wordsOf(CAMPAIGN_WORDS, campaign.reason)}.`);
  });
}

async function explainLeftOut(
  context: ToolContext,
  contactId: string,
  { campaignId, hasMail }: { readonly campaignId: string; readonly hasMail: boolean },
  found: Findings,
): Promise<void> {
  const query = { kind: 'campaign_left_out', limit: 100 };
  const { timeline } = await context.ask<{ timeline: { details: { campaign_id?: string; reason?: string } }[] }>({
    method: 'GET',
    path: pathOf`/contacts/${contactId}/timeline`,
    query,
  });
  const entry = timeline.find(({ details }) => details.campaign_id === campaignId);
  if (!entry) {
    const status = (found.data.campaign as Campaign | undefined)?.status;
    if (!hasMail && status === 'sent')
      found.says.push(
        'The campaign neither mailed the person nor left them out: they were not in its audience when it began, or the record is no longer kept.',
      );
    if (!hasMail && status === 'sending')
      found.says.push('The campaign has not mailed the person: either their turn has not come, or they are not in its audience.');
    return;
  }
  found.data.leftOut = entry;
  found.says.push(`The campaign left the person out: ${wordsOf(LEFT_OUT_WORDS, entry.details.reason)}.`);
}

async function explainSequence(context: ToolContext, key: string, contactId: string | undefined, found: Findings): Promise<void> {
  await within(found, 'sequences:read', context, async () => {
    const sequence = await ifThere(
      context.ask<{ status: string; triggers?: unknown; sendWindow?: unknown; frequencyCap?: unknown }>({
        method: 'GET',
        path: pathOf`/sequences/${key}`,
      }),
    );
    if (!sequence) {
      found.says.push('The project has no such sequence.');
      return;
    }
    const { status, triggers, sendWindow, frequencyCap } = sequence;
    found.data.sequence = { status, triggers, sendWindow, frequencyCap };
    if (status !== 'active') found.says.push(`The sequence is ${nameOf(status)}: it enrolls nobody and sends nothing before it is active.`);
    if (contactId === undefined) return;
    const query = { contactId, limit: 1 };
    const { enrollments } = await context.ask<{ enrollments: Run[] }>({
      method: 'GET',
      path: pathOf`/sequences/${key}/enrollments`,
      query,
    });
    const [latest] = enrollments;
    if (latest) await explainRun(context, latest.id, found);
    else
      found.says.push(
        'The person was never enrolled in it: look whether the triggers in data fit, and for enrollment_refused in get_person_timeline.',
      );
  });
}

async function explainRun(context: ToolContext, id: string, found: Findings): Promise<void> {
  await within(found, 'sequences:read', context, async () => {
    const answer = await ifThere(
      context.ask<{ enrollment: Run }>({ method: 'GET', path: pathOf`/enrollments/${id}`, query: { limit: 100 } }),
    );
    if (!answer) return;
    found.data.run = answer.enrollment;
    found.says.push(...runWords(answer.enrollment));
  });
}

/** Where a run stands, what it waits for, and which emails it went on without. */
export function runWords({
  id,
  status,
  waiting_for: waiting,
  wakes_at: wakes,
  end_reason: end,
  started_at: started,
  steps = [],
}: Run): string[] {
  const until = wakes ? ` Until ${wakes} at the latest.` : '';
  const states = {
    active: `The run ${id}, begun at ${started}, is under way. ${waiting ? `Now ${waitWords(waiting)}.${until}` : ''}`.trim(),
    completed: `The run ${id}, begun at ${started}, is completed.`,
    cancelled: `The run ${id}, begun at ${started}, was ended before its end${end ? `: ${nameOf(end)}` : ''}.`,
  };
  const skipped = steps.filter(({ outcome, kind }) => outcome === 'skipped' && kind === 'send_email');
  const failed = steps.filter(({ outcome }) => outcome === 'failed');
  return [
    states[status as keyof typeof states] ?? `The run ${id} is ${nameOf(status)}.`,
    ...skipped.map(({ number, detail }) => `At step ${number} its email was left out: ${wordsOf(SKIPPED_WORDS, detail?.split(':')[0])}.`),
    ...failed.map(({ number, detail }) => `Step ${number} failed: ${wordsOf(FAILURE_WORDS, detail?.split(':')[0])}.`),
  ];
}

function waitWords(waiting: string): string {
  if (waiting.startsWith('event:')) return 'it waits for an event, which `waiting_for` of data names';
  if (waiting.startsWith('held:')) return `it is held: ${wordsOf(HOLD_WORDS, waiting.slice('held:'.length))}`;
  return wordsOf(WAIT_WORDS, waiting);
}

/** Does what needs a scope of its own, or says that this could not be looked at. Returns whether it could. */
async function within(
  found: Findings,
  scope: Parameters<ToolContext['hasScope']>[0],
  context: ToolContext,
  look: () => Promise<void>,
): Promise<boolean> {
  if (!context.hasScope(scope)) {
    found.says.push(`Not looked at, since the key lacks ${scope}: ${SEES[scope] ?? 'a part of it'}.`);
    return false;
  }
  try {
    await look();
    return true;
  } catch (error) {
    if (!(error instanceof RouteRefused && error.answer.status === 403)) throw error;
    return false;
  }
}

const SEES: Readonly<Record<string, string>> = {
  'contacts:read': 'consent, topics and suppression of the person',
  'suppressions:read': 'whether the address is suppressed',
  'campaigns:read': 'the state of the campaign',
  'sequences:read': "the person's run in the sequence",
};

export const tools = [explainEmail];
