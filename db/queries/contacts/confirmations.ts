import { sql } from 'kysely';
import {
  type AskingBrand,
  BETWEEN_CONFIRMATION_MAILS_MS,
  CONFIRMATION_TEMPLATE,
  type ConfirmationSettings,
} from '../../../domain/contacts/confirmation.ts';
import type { BrandRow, ConfirmationRow, ContactRow, ProjectRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { mayContain, rareParts } from '../../text-search.ts';
import { openRows } from '../operations/open-rows.ts';
import { MOST_OF_SINGLE } from '../operations/outbox.ts';
import type { ProjectHold } from '../sends/gate-verdict.ts';
import { LIST_UNCONFIRMED } from '../sends/permission.ts';
import { PROJECT_HELD_BY } from '../sends/send-gates.ts';

const IS_UNCONFIRMED = sql`f.state in (${LIST_UNCONFIRMED})`;

/** How each brand of a project asks, by its slug. */
export async function askingBrands(em: EntityManager, projectId: string): Promise<Map<string, AskingBrand>> {
  const found = await rows(
    em,
    sql<AskingBrand & Pick<BrandRow, 'slug'>>`
      select b.slug, b.double_opt_in, coalesce(s.enabled, false) as "isEnabled" from brands b
      left join template_settings s on s.project_id = b.project_id and s.brand_id = b.slug
        and s.template = coalesce(b.confirm_template, ${CONFIRMATION_TEMPLATE})
      where b.project_id = ${projectId}`,
  );
  return new Map(found.map(({ slug, ...brand }) => [slug, brand]));
}

/** Somebody who signs up. */
export interface SignUp {
  /** Of the confirmation, if there is none yet. */
  readonly id: string;
  readonly contactId: string;
  readonly madeContact: boolean;
}

/**
 * Asks contacts whose rows are locked, each once: anew, or once more where the last mail is old enough. Who was asked lately by one that has ended is
 * asked when that mail is old enough. Returns the confirmations that are to send a mail.
 */
export async function openConfirmations(
  tx: EntityManager,
  projectId: string,
  signUps: readonly SignUp[],
  now: Date,
): Promise<Pick<ConfirmationRow, 'id'>[]> {
  const between = sql`make_interval(secs => ${sql.lit(BETWEEN_CONFIRMATION_MAILS_MS / 1000)})`;
  return rows(
    tx,
    sql<Pick<ConfirmationRow, 'id'>>`
      insert into confirmations as f (id, project_id, contact_id, made_contact, is_bulk, asked_at, created_at)
      select g.id, ${projectId}, g."contactId", g."madeContact", ${signUps.length > MOST_OF_SINGLE}, greatest(${now}::timestamptz, (
          select max(o.mailed_at) + ${between} from confirmations o where o.contact_id = g."contactId" and o.project_id = ${projectId})), ${now}
      from jsonb_to_recordset(${JSON.stringify(signUps)}::jsonb) as g(id uuid, "contactId" uuid, "madeContact" boolean)
      on conflict (contact_id, project_id) where state in (${LIST_UNCONFIRMED})
      do update set state = 'waiting', round = f.round + 1, mails = 0, failure = null, asked_at = excluded.asked_at, ended_at = null
        where f.state = 'expired' or (f.mails > 0 and f.mailed_at <= ${now}::timestamptz - ${between})
      returning f.id`,
  );
}

/** What a look at a confirmation needs: itself, how its brand asks, and what its link is signed with. */
export interface ConfirmationFacts
  extends ConfirmationRow,
    ConfirmationSettings,
    Pick<ContactRow, 'brand_id' | 'email'>,
    Pick<ProjectRow, 'sealed_link_secret'> {
  readonly project_slug: ProjectRow['slug'];
  readonly heldBy: ProjectHold | null;
}

/** undefined: its contact was erased. */
export async function confirmationFacts(em: EntityManager, id: string): Promise<ConfirmationFacts | undefined> {
  return row(
    em,
    sql<ConfirmationFacts>`
      select f.*, b.double_opt_in, b.confirm_template, b.confirm_reminders, b.confirm_prune_days, c.brand_id, c.email, p.sealed_link_secret,
        p.slug as project_slug, ${PROJECT_HELD_BY} as "heldBy"
      from confirmations f
      join contacts c on c.id = f.contact_id and c.project_id = f.project_id
      join projects p on p.id = f.project_id
      join brands b on b.project_id = f.project_id and b.slug = c.brand_id
      where f.id = ${id}`,
  );
}

/** Notes that the next mail of the round has been made, with the first of which the person is asked. `failure`: why it did not leave, if it did not. Written once. */
export async function noteConfirmationMail(
  em: EntityManager,
  { id, round, mails }: Pick<ConfirmationRow, 'id' | 'round' | 'mails'>,
  failure: string | null,
): Promise<void> {
  await row(
    em,
    sql`update confirmations set mails = mails + 1, mailed_at = now(), failure = ${failure},
          asked_at = case when mails = 0 then now() else asked_at end
        where id = ${id} and round = ${round} and mails = ${mails}`,
  );
}

/** Nobody is asked any more. Whether somebody was. */
export async function expireConfirmation(tx: EntityManager, id: string): Promise<boolean> {
  const expired = await row(
    tx,
    sql`update confirmations set state = 'expired', ended_at = now() where id = ${id} and state = 'waiting' returning 1`,
  );
  return expired !== undefined;
}

/**
 * Whether it still waits in this round, and nothing else is known of its contact: no event, no run, no mail but those that asked, none that is scheduled,
 * and none that went to the address before it was a contact.
 */
export async function isPrunable(
  tx: EntityManager,
  { id, project_id: projectId, round, email }: Pick<ConfirmationFacts, 'id' | 'project_id' | 'round' | 'email'>,
): Promise<boolean> {
  const ofContact = sql`contact_id = f.contact_id and project_id = f.project_id`;
  const list = sql`project_id = ${projectId} and status is not null`;
  const [parts = []] = await rareParts(tx, { table: 'sends', list, columns: ['to_email'] }, email);
  const found = await row(
    tx,
    sql`
      select 1 from confirmations f where f.id = ${id} and f.round = ${round} and f.state = 'waiting' and f.made_contact
        and not exists (select 1 from events where ${ofContact})
        and not exists (select 1 from enrollments where ${ofContact})
        and not exists (select 1 from sends where ${ofContact} and source_type <> 'confirmation')
        and not exists (select 1 from scheduled_sends where project_id = f.project_id and (contact_id = f.contact_id or to_email = ${email}))
        and not exists (select 1 from sends where ${list} and contact_id is null and to_email = ${email} and ${mayContain('to_email', parts)})`,
  );
  return found !== undefined;
}

/** What the person's own act says. */
export interface ConfirmedBy {
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  /** The words of the page. */
  readonly shownText: string;
}

/** Of a contact whose row is locked. Whether it was unconfirmed. */
export async function confirm(tx: EntityManager, id: string, { ip, userAgent, shownText }: ConfirmedBy, now: Date): Promise<boolean> {
  const confirmed = await row(
    tx,
    sql`
      update confirmations f set state = 'confirmed', ended_at = ${now}, by_ip = ${ip ?? null}, by_user_agent = ${userAgent ?? null},
        shown_text = ${shownText} where f.id = ${id} and ${IS_UNCONFIRMED} returning 1`,
  );
  return confirmed !== undefined;
}

/** Ends those of contacts that are not pending any more. Returns those whose workflow waits. */
export async function endConfirmations(
  tx: EntityManager,
  projectId: string,
  contactIds: readonly string[],
  now: Date,
): Promise<Pick<ConfirmationRow, 'id'>[]> {
  return rows(
    tx,
    sql<Pick<ConfirmationRow, 'id'>>`
      with open as materialized (
        select f.id, f.state from confirmations f
        where f.contact_id = any(${contactIds}::uuid[]) and f.project_id = ${projectId} and ${IS_UNCONFIRMED} for update)
      update confirmations f set state = 'ended', ended_at = ${now} from open where f.id = open.id
      returning f.id`,
  );
}

/** Whom a link is about, and what its page shows. */
export interface LinkedConfirmation
  extends Pick<ConfirmationRow, 'id' | 'project_id' | 'contact_id' | 'state'>,
    Pick<ContactRow, 'email' | 'status' | 'locale'>,
    Pick<ProjectRow, 'sealed_link_secret'> {
  readonly default_brand: BrandRow['slug'] | null;
  readonly brand_name: BrandRow['name'];
  readonly brand_color: BrandRow['color'];
}

/** In whatever state its project is. */
export async function findLinkedConfirmation(em: EntityManager, id: string): Promise<LinkedConfirmation | undefined> {
  return row(
    em,
    sql<LinkedConfirmation>`
      select f.id, f.project_id, f.contact_id, f.state, c.email, c.status, c.locale, p.sealed_link_secret, b.name as brand_name, b.color as brand_color,
        (select d.slug from brands d where d.project_id = p.id and d.is_default) as default_brand
      from confirmations f
      join contacts c on c.id = f.contact_id and c.project_id = f.project_id
      join projects p on p.id = f.project_id
      join brands b on b.project_id = f.project_id and b.slug = c.brand_id
      where f.id = ${id}`,
  );
}

/** The last one of a contact. */
export async function latestConfirmation(em: EntityManager, projectId: string, contactId: string): Promise<ConfirmationRow | undefined> {
  return row(
    em,
    sql<ConfirmationRow>`
      select f.* from confirmations f where f.contact_id = ${contactId} and f.project_id = ${projectId} order by f.id desc limit 1`,
  );
}

/** What the workflow is started with. */
export interface ConfirmationStart extends Pick<ConfirmationRow, 'id' | 'contact_id' | 'is_bulk'> {
  readonly projectSlug: ProjectRow['slug'];
}

export async function confirmationStarts(em: EntityManager, ids: readonly string[]): Promise<ConfirmationStart[]> {
  return rows(
    em,
    sql<ConfirmationStart>`
      select f.id, f.contact_id, f.is_bulk, p.slug as "projectSlug"
      from confirmations f join projects p on p.id = f.project_id where f.id = any(${ids}::uuid[])`,
  );
}

/** Those that wait. */
export const {
  batch: batchOfWaiting,
  among: waitingAmong,
  toStart: confirmationsToStart,
} = openRows('confirmation', { table: 'confirmations', alias: 'f', isOpen: sql`f.state = 'waiting'` });
