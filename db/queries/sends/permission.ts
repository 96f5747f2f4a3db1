import { type RawBuilder, sql } from 'kysely';
import { UNCONFIRMED } from '../../../domain/contacts/confirmation.ts';
import { WITHOUT_MARKETING } from '../../../domain/contacts/contact.ts';
import { SANDBOX_DOMAIN, SUPPRESSED_PART } from '../../../domain/sends/sandbox.ts';
import { topicStateSql } from '../contacts/topics.ts';
import { type GateVerdict, plainVerdict, recipientVerdict } from './gate-verdict.ts';

type Operand = RawBuilder<unknown> | string | null;

const LIST_WITHOUT_MARKETING = sql.raw(WITHOUT_MARKETING.map((status) => `'${status}'`).join(', '));

/** The domain's isWithoutMarketing(). */
function withoutMarketingSql(status: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${status} in (${LIST_WITHOUT_MARKETING})`;
}

/** The states in which a contact has not confirmed, in the text of a statement: an index has them as its condition. */
export const LIST_UNCONFIRMED = sql.raw(UNCONFIRMED.map((state) => `'${state}'`).join(', '));

/** Whether a contact was asked to confirm that it wants mail, and has not. Only who is pending is looked up. */
export function isUnconfirmed(contact: {
  readonly projectId: Operand;
  readonly id: RawBuilder<unknown>;
  readonly status: RawBuilder<unknown>;
}): RawBuilder<boolean> {
  return sql`(${contact.status} = 'pending' and exists (
    select 1 from confirmations f where f.contact_id = ${contact.id} and f.project_id = ${contact.projectId} and f.state in (${LIST_UNCONFIRMED})))`;
}

/** Whether an address plays the part of one that is suppressed, in every project. */
function playsSuppressed(email: Operand): RawBuilder<boolean> {
  return sql`(${email} like ${sql.lit(`${SUPPRESSED_PART}@${SANDBOX_DOMAIN}`)} or ${email} like ${sql.lit(`${SUPPRESSED_PART}+%@${SANDBOX_DOMAIN}`)})`;
}

/** Whether an address gets no mail at all, whatever the plain text of it has become. */
export function isSuppressed({ projectId, email }: { readonly projectId: Operand; readonly email: Operand }): RawBuilder<boolean> {
  return sql`(${playsSuppressed(email)} or exists (select 1 from suppressions where project_id = ${projectId} and email = ${email})
    or exists (select 1 from erased_suppressions where project_id = ${projectId})
      and exists (select 1 from erased_suppressions where project_id = ${projectId} and address_hash = address_hash(${projectId}, ${email})))`;
}

/** Whether a mail that names a topic, null: none, may go to somebody who made these choices. Nobody gets what is of a topic that there is not. */
function wantsTopic(of: {
  readonly projectId: Operand;
  readonly topic: string | null;
  readonly choices: RawBuilder<unknown>;
}): RawBuilder<boolean> {
  return of.topic === null ? sql`true` : sql`coalesce(${topicStateSql(of)}, false)`;
}

/**
 * Why nobody sends a campaign of this topic, null: of none, to an address and its contact `c`, if it has one; null: it gets the campaign. In whatever mode and
 * of whatever type: docs/contract/campaigns.md 3.
 */
export function campaignRefusal(of: {
  readonly projectId: Operand;
  readonly email: Operand;
  readonly topic: string | null;
}): RawBuilder<string | null> {
  const { projectId } = of;
  const [id, status, choices] = [sql.ref('c.id'), sql.ref('c.status'), sql.ref('c.topics')];
  return sql`case when ${isSuppressed(of)} then 'suppressed'
                  when ${withoutMarketingSql(status)} then ${status}
                  when ${isUnconfirmed({ projectId, id, status })} then 'unconfirmed'
                  when not ${wantsTopic({ ...of, choices })} then 'topic_off' end`;
}

/**
 * Why an address may not get a mail at this instant, null when it may: a contact that is gone, suppressed, or without the topic of the mail, for
 * every mail; unsubscribed, bounced and not confirmed for marketing. The one place of this rule, as part of the statement that writes the intent; operands are
 * values, or columns for many at once.
 */
export function refusal(of: {
  readonly projectId: Operand;
  readonly email: Operand;
  readonly type: Operand;
  readonly contactId: Operand;
  /** The key of the topic that the mail is of; null: of none. */
  readonly topic: Operand;
}): RawBuilder<GateVerdict | null> {
  return sql`(select case
      when asked.id is not null and k.id is null then ${plainVerdict('erased')}
      when ${isSuppressed(of)} then ${plainVerdict('suppressed')}
      when ${of.type} = 'marketing' and ${withoutMarketingSql(sql.ref('k.status'))} then ${recipientVerdict(sql.ref('k.status'))}
      when ${of.type} = 'marketing' and ${isUnconfirmed({ ...of, id: sql.ref('k.id'), status: sql.ref('k.status') })} then ${plainVerdict('unconfirmed')}
      when ${of.topic} is not null and ${topicStateSql({ ...of, choices: sql.ref('k.topics') })} is not true then ${plainVerdict('topic_off')}
    end from (select ${of.contactId}::uuid as id) asked left join contacts k on k.id = asked.id and k.project_id = ${of.projectId})`;
}

/** The same of an address that a mail is copied to; its contact, if it has one, is found by the address. */
export function copyRefusal(of: {
  readonly projectId: Operand;
  readonly email: Operand;
  readonly type: Operand;
  readonly topic: Operand;
}): RawBuilder<GateVerdict | null> {
  return refusal({ ...of, contactId: sql`(select id from contacts where project_id = ${of.projectId} and email = ${of.email})` });
}
